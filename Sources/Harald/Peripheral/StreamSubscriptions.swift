import BluetoothBackend
import BluetoothModel

/// The subscription of one stream to a characteristic, which continues on the next link.
///
/// Proof of `@unchecked Sendable`: the constants never change, and `wasAcknowledged`, `isOver` and `id` are accessed on
/// the loop only, by `StreamSubscriptions`, which is confined to it.
final class StreamSubscription: @unchecked Sendable {
    fileprivate let characteristic: AttributeID
    fileprivate let kind: SubscriptionKind
    fileprivate let receive: (ByteView) -> Void
    /// Called with nil when the device has acknowledged for the first time, and once with the error that ended the
    /// subscription, unless it was removed before.
    private let changed: (_ error: RadioError?, _ wasAcknowledged: Bool) -> Void
    private var wasAcknowledged = false
    fileprivate var isOver = false
    /// The subscription on the current link.
    fileprivate var id: OperationID?

    init(
        _ characteristic: AttributeID, kind: SubscriptionKind, receive: @escaping (ByteView) -> Void,
        changed: @escaping (_ error: RadioError?, _ wasAcknowledged: Bool) -> Void
    ) {
        self.characteristic = characteristic
        self.kind = kind
        self.receive = receive
        self.changed = changed
    }

    fileprivate func acknowledged() {
        guard !wasAcknowledged, !isOver else { return }
        wasAcknowledged = true
        changed(nil, true)
    }

    fileprivate func end(_ error: RadioError) {
        guard !isOver else { return }
        isOver = true
        changed(error, wasAcknowledged)
    }
}

/// The subscriptions of a peripheral's streams, which outlive a link that is established again. Confined to the loop.
final class StreamSubscriptions {
    /// In the order in which they were made.
    private var all: [StreamSubscription] = []
    private weak var link: (any PeripheralLink)?

    /// Subscribes on `link`, and on its successors; does nothing if the subscription was removed before.
    func add(_ subscription: StreamSubscription, on link: any PeripheralLink) {
        guard !subscription.isOver else { return }
        self.link = link
        all.append(subscription)
        subscribe(subscription, on: link)
    }

    /// Removes a subscription and unsubscribes on the device.
    func remove(_ subscription: StreamSubscription) {
        subscription.isOver = true
        guard let place = all.firstIndex(where: { $0 === subscription }) else { return }
        all.remove(at: place)
        if let id = subscription.id { link?.unsubscribe(id, timeout: .seconds(10)) { _ in } }
    }

    private func subscribe(_ subscription: StreamSubscription, on link: any PeripheralLink) {
        guard !subscription.isOver else { return }
        subscription.id = link.subscribe(
            subscription.characteristic, kind: subscription.kind, timeout: .seconds(30), receive: subscription.receive
        ) { [weak self] result in
            guard case .failure(let error) = result else { return subscription.acknowledged() }
            // A lost link may be established again; every other error ends the subscription.
            if case .disconnected = error { return }
            if error == .notConnected, !link.isConnected { return }
            self?.end([subscription], error)
        }
    }

    private func end(_ ended: [StreamSubscription], _ error: RadioError) {
        all.removeAll { one in ended.contains { $0 === one } }
        for subscription in ended { subscription.end(error) }
    }

    /// To be called when the link was lost and may be established again.
    func linkLost() {
        link = nil
        for subscription in all { subscription.id = nil }
    }

    /// Subscribes again on a new link; ends the subscriptions whose characteristic no longer exists.
    func attach(to link: any PeripheralLink, tree: AttributeTree) {
        self.link = link
        endVoid { tree.characteristic($0) == nil }
        for subscription in all { subscribe(subscription, on: link) }
    }

    /// Ends the subscriptions to characteristics that are void because the device has changed its attributes: the link
    /// has forgotten these subscriptions.
    func endVoid(_ isVoid: (AttributeID) -> Bool) {
        for subscription in all where isVoid(subscription.characteristic) {
            let handle = UInt16(truncatingIfNeeded: subscription.characteristic.rawValue)
            end([subscription], .att(.invalidHandle, handle: handle))
        }
    }

    /// Ends all subscriptions before a deliberate disconnection and completes once the device has acknowledged; the
    /// streams end without an error.
    func detach(from link: any PeripheralLink, completion: @escaping () -> Void) {
        let ids = all.compactMap(\.id)
        finish(.cancelled)
        var left = ids.count
        guard left > 0 else { return completion() }
        for id in ids {
            link.unsubscribe(id, timeout: .seconds(5)) { _ in
                left -= 1
                if left == 0 { completion() }
            }
        }
    }

    /// Ends all subscriptions with an error, when there will be no further link.
    func finish(_ error: RadioError) {
        link = nil
        end(all, error)
    }
}
