import BluetoothBackend
import BluetoothModel

/// The subscriptions of a peripheral, which outlive a link that is established again. Confined to the loop.
final class FeedList {
    private struct Feed {
        var characteristic: AttributeID
        var kind: SubscriptionKind
        var receive: (ByteView) -> Void
        var end: (RadioError) -> Void
        /// Called once, when the device has acknowledged for the first time.
        var ready: (() -> Void)?
        var subscription: OperationID?
    }

    private var feeds: [Int: Feed] = [:]
    private var nextKey = 0
    private weak var link: (any PeripheralLink)?

    /// Subscribes on `link`, and on its successors. `end` is called once, unless ``remove(_:)`` is called before.
    /// `ready` is called once the device has acknowledged.
    func add(
        _ characteristic: AttributeID, kind: SubscriptionKind, link: any PeripheralLink,
        receive: @escaping (ByteView) -> Void, end: @escaping (RadioError) -> Void, ready: (() -> Void)? = nil
    ) -> Int {
        nextKey += 1
        self.link = link
        feeds[nextKey] = Feed(
            characteristic: characteristic, kind: kind, receive: receive, end: end, ready: ready)
        subscribe(nextKey, on: link)
        return nextKey
    }

    /// Removes a subscription and unsubscribes on the device.
    func remove(_ key: Int) {
        guard let feed = feeds.removeValue(forKey: key), let subscription = feed.subscription else { return }
        link?.unsubscribe(subscription, timeout: .seconds(10)) { _ in }
    }

    private func subscribe(_ key: Int, on link: any PeripheralLink) {
        guard let feed = feeds[key] else { return }
        let subscription = link.subscribe(
            feed.characteristic, kind: feed.kind, timeout: .seconds(30), receive: feed.receive
        ) { [weak self] result in
            guard let self else { return }
            guard case .failure(let error) = result else {
                let ready = self.feeds[key]?.ready
                self.feeds[key]?.ready = nil
                ready?()
                return
            }
            // A lost link may be established again; every other error ends the subscription.
            if case .disconnected = error { return }
            if error == .notConnected, !link.isConnected { return }
            self.feeds.removeValue(forKey: key)?.end(error)
        }
        feeds[key]?.subscription = subscription
    }

    /// To be called when the link was lost and may be established again.
    func linkLost() {
        link = nil
        for key in feeds.keys { feeds[key]?.subscription = nil }
    }

    /// Subscribes again on a new link; ends the subscriptions whose characteristic no longer exists.
    func attach(to link: any PeripheralLink, tree: AttributeTree) {
        self.link = link
        for (key, feed) in feeds.sorted(by: { $0.key < $1.key }) {
            if tree.characteristic(feed.characteristic) == nil {
                feeds.removeValue(forKey: key)?.end(
                    .att(.invalidHandle, handle: UInt16(truncatingIfNeeded: feed.characteristic.rawValue)))
            } else {
                subscribe(key, on: link)
            }
        }
    }

    /// Ends the subscriptions to characteristics that are void because the device has changed its attributes: the link
    /// has forgotten these subscriptions.
    func drop(_ void: Set<AttributeID>) {
        for (key, feed) in feeds.sorted(by: { $0.key < $1.key }) where void.contains(feed.characteristic) {
            feeds.removeValue(forKey: key)?.end(
                .att(.invalidHandle, handle: UInt16(truncatingIfNeeded: feed.characteristic.rawValue)))
        }
    }

    /// Ends all subscriptions before a deliberate disconnection and completes once the device has acknowledged; the
    /// streams end without an error.
    func detach(from link: any PeripheralLink, completion: @escaping () -> Void) {
        let ended = takeAll()
        let subscriptions = ended.compactMap(\.subscription)
        self.link = nil
        for feed in ended { feed.end(.cancelled) }
        var left = subscriptions.count
        guard left > 0 else { return completion() }
        for subscription in subscriptions {
            link.unsubscribe(subscription, timeout: .seconds(5)) { _ in
                left -= 1
                if left == 0 { completion() }
            }
        }
    }

    /// Ends all subscriptions with an error, when there will be no further link.
    func finish(_ error: RadioError) {
        let ended = takeAll()
        link = nil
        for feed in ended { feed.end(error) }
    }

    /// Removes all subscriptions and returns them, in the order in which they were made.
    private func takeAll() -> [Feed] {
        defer { feeds = [:] }
        return feeds.sorted { $0.key < $1.key }.map(\.value)
    }
}
