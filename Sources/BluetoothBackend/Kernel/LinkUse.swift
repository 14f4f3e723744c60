import BluetoothModel
import BluetoothRuntime

/// A link of a driver whose operations and subscriptions are those of the kernel. Confined to the loop.
package protocol KernelLink: AnyObject {
    /// False once the link has ended.
    var isUp: Bool { get }
    /// True while the link has several users.
    var isShared: Bool { get }
    /// The pending operations of all users.
    var pending: PendingOperations { get }

    /// Returns the subscription to a characteristic; nil if the link has no such characteristic.
    func subscription(to characteristic: AttributeID) -> CharacteristicSubscription?
    /// Removes a released share; completes when the link has ended, if it was the last.
    func remove(_ share: ObjectIdentifier, completion: @escaping () -> Void)
}

/// One user's use of a link: the operations, subscriptions and channels of the user, until its share is released.
/// Confined to the loop.
package final class LinkUse<Link: KernelLink> {
    package let link: Link
    /// The user; nil for no particular user.
    package let user: RadioUser?
    fileprivate weak var observer: (any LinkObserver)?
    private var isReleased = false
    private var subscriptions: [OperationID: AttributeID] = [:]
    private let channels = ShareChannels()

    package init(of link: Link, by user: RadioUser?) {
        self.link = link
        self.user = user
    }

    /// True until the share is released or the link ends.
    package var isConnected: Bool { !isReleased && link.isUp }

    /// Begins an operation, which fails immediately if the link has ended.
    package func begin<Value>(
        _ timeout: Duration?, _ completion: @escaping (Result<Value, RadioError>) -> Void,
        _ start: (LinkOperation<Value>) -> Void
    ) -> OperationID {
        let operation: LinkOperation<Value> = link.pending.begin(timeout: timeout, for: user, of: self, completion)
        if isConnected { start(operation) } else { operation.complete(.failure(.notConnected)) }
        return operation.id
    }

    /// Begins to open a channel, which ends with the share.
    package func beginChannel(
        _ timeout: Duration?, _ completion: @escaping (Result<any BackendChannel, RadioError>) -> Void,
        _ start: (LinkOperation<any BackendChannel>) -> Void
    ) -> OperationID { begin(timeout, channels.adding(completion), start) }

    /// Subscribes to a characteristic of the link.
    package func subscribe(
        _ operation: LinkOperation<Void>, to characteristic: AttributeID, receive: @escaping (ByteView) -> Void
    ) {
        guard let subscription = link.subscription(to: characteristic) else {
            return operation.complete(.failure(.att(.invalidHandle, handle: 0)))
        }
        subscriptions[operation.id] = characteristic
        subscription.subscribe(operation, receive: receive)
    }

    fileprivate func unsubscribe(
        _ id: OperationID, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let operation: LinkOperation<Void> = link.pending.begin(timeout: timeout, for: user, of: self, completion)
        endSubscription(id) { operation.complete($0) }
    }

    /// Ends a subscription; completes when the device has acknowledged it.
    private func endSubscription(_ id: OperationID, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard let characteristic = subscriptions.removeValue(forKey: id), link.isUp,
            let subscription = link.subscription(to: characteristic)
        else { return completion(.success(())) }
        subscription.unsubscribe(id, completion: completion)
    }

    /// Releases the share: its operations fail, and its subscriptions and channels end in the order in which they
    /// began, before its link may.
    fileprivate func release(_ share: ObjectIdentifier, completion: @escaping () -> Void) {
        guard !isReleased else { return completion() }
        isReleased = true
        observer = nil
        let error = RadioError.disconnected(.localHostTerminated)
        link.pending.failAll(of: self, error)
        for id in subscriptions.keys.sorted(by: { $0.rawValue < $1.rawValue }) { endSubscription(id) { _ in } }
        // The last share ends the link, and its channels with it.
        if link.isShared { channels.end(error) }
        link.remove(share, completion: completion)
    }

    /// Releases a share that its user has dropped. To be called by its `deinit`.
    package func dropped(_ share: ObjectIdentifier) { if !isReleased { release(share) {} } }
}

/// One user's share of a link of the kernel; its `deinit` calls ``LinkUse/dropped(_:)``.
package protocol KernelShare: CountedShare {
    associatedtype Link: KernelLink
    /// The user's operations and subscriptions.
    var use: LinkUse<Link> { get }
}

extension KernelShare {
    package var user: RadioUser? { use.user }
    package var isConnected: Bool { use.isConnected }
    package var observer: (any LinkObserver)? {
        get { use.observer }
        set { use.observer = newValue }
    }

    package func release(completion: @escaping () -> Void) {
        use.release(ObjectIdentifier(self), completion: completion)
    }

    package func cancel(_ operation: OperationID) { use.link.pending.cancel(operation) }

    package func unsubscribe(
        _ subscription: OperationID, timeout: Duration?, completion: @escaping (Result<Void, RadioError>) -> Void
    ) { use.unsubscribe(subscription, timeout: timeout, completion: completion) }
}
