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
    /// The subscriptions of all users.
    var subscriptions: SubscriptionRegistry { get }
    /// Removes a released share; completes when the link has ended, if it was the last.
    func remove(_ share: ObjectIdentifier, completion: @escaping () -> Void)
}

/// One user's use of a link: the operations, subscriptions and channels of the user, until its share is released.
/// Confined to the loop.
package final class LinkUse<Link: KernelLink> {
    package let link: Link
    /// The user; nil for no particular user.
    package let user: RadioUser?
    package weak var observer: (any LinkObserver)?
    package private(set) var isReleased = false
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

    /// Releases the share: its operations fail, and its subscriptions and channels end in the order in which they
    /// began, before its link may.
    package func release(
        _ share: ObjectIdentifier, _ error: RadioError = .disconnected(.localHostTerminated),
        completion: @escaping () -> Void
    ) {
        guard !isReleased else { return completion() }
        isReleased = true
        observer = nil
        link.pending.failAll(of: self, error)
        link.subscriptions.unsubscribeAll(of: self)
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
    ) {
        let operation: LinkOperation<Void> = use.link.pending.begin(
            timeout: timeout, for: user, of: use, completion)
        use.link.subscriptions.unsubscribe(subscription, operation)
        // One that the device has refused, and that waits for more security, is not in the registry.
        use.link.pending.cancel(subscription)
    }
}
