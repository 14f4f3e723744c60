import BluetoothBackend
import BluetoothModel

/// The values that somebody listens to; they outlive a link that comes back. Confined to the loop.
final class FeedList {
    private struct Feed {
        var characteristic: AttributeID
        var kind: SubscriptionKind
        var receive: (ByteView) -> Void
        var end: (RadioError) -> Void
        /// Told once the device has acknowledged the first time.
        var ready: (() -> Void)?
        var subscription: OperationID?
    }

    private var feeds: [Int: Feed] = [:]
    private var nextKey = 0
    private weak var link: (any PeripheralLink)?

    /// Listens on `link`, and on its successors; `end` comes once, unless ``remove(_:)`` came before. `ready` comes once the
    /// device has acknowledged.
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

    /// Stops listening; the device is told.
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
            // A link that was lost meanwhile may come back; everything else is the end.
            if case .disconnected = error { return }
            if error == .notConnected { return }
            self.feeds.removeValue(forKey: key)?.end(error)
        }
        feeds[key]?.subscription = subscription
    }

    /// The link was lost and may come back.
    func linkLost() {
        link = nil
        for key in feeds.keys { feeds[key]?.subscription = nil }
    }

    /// A new link is up: listens again to what is still there.
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

    /// Unsubscribes everything, acknowledged, before a deliberate disconnection; the streams end without an error.
    func detach(from link: any PeripheralLink, completion: @escaping () -> Void) {
        let subscriptions = feeds.values.compactMap(\.subscription)
        let ended = feeds
        feeds = [:]
        self.link = nil
        for feed in ended.values { feed.end(.cancelled) }
        var left = subscriptions.count
        guard left > 0 else { return completion() }
        for subscription in subscriptions {
            link.unsubscribe(subscription, timeout: .seconds(5)) { _ in
                left -= 1
                if left == 0 { completion() }
            }
        }
    }

    /// There will be no further link.
    func finish(_ error: RadioError) {
        let ended = feeds
        feeds = [:]
        link = nil
        for feed in ended.values { feed.end(error) }
    }
}
