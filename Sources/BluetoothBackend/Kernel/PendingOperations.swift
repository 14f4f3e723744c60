import BluetoothModel
import BluetoothRuntime

/// A pending operation of a user of a link; it ends once.
protocol PendingOperation: AnyObject {
    /// The user that started the operation.
    var owner: AnyObject? { get }
    /// The use of the link to which the operation belongs; nil for no particular use.
    var use: ObjectIdentifier? { get }
    func fail(_ error: RadioError)
}

/// A pending operation with its result type.
package final class LinkOperation<Value>: PendingOperation {
    package let id: OperationID
    /// The user that started the operation.
    package let owner: AnyObject?
    let use: ObjectIdentifier?
    private var completion: ((Result<Value, RadioError>) -> Void)?
    fileprivate var timer: QueuedTimer?
    fileprivate weak var list: PendingOperations?
    /// Called when the operation is cancelled, times out or fails otherwise.
    package var onAbandon: (() -> Void)?

    fileprivate init(
        _ id: OperationID, owner: AnyObject?, use: ObjectIdentifier?,
        _ completion: @escaping (Result<Value, RadioError>) -> Void
    ) {
        self.id = id
        self.owner = owner
        self.use = use
        self.completion = completion
    }

    package var isOver: Bool { completion == nil }

    /// Completes the operation; only the first call has an effect.
    package func complete(_ result: Result<Value, RadioError>) {
        guard let completion else { return }
        self.completion = nil
        onAbandon = nil
        timer?.disarm()
        list?.remove(id)
        completion(result)
    }

    package func fail(_ error: RadioError) {
        let abandon = onAbandon
        complete(.failure(error))
        abandon?()
    }
}

/// The pending operations of the users of one link, each with its timeout and its cancellation.
package final class PendingOperations {
    private let loop: RadioLoop
    private var operations: [OperationID: any PendingOperation] = [:]
    private var last: UInt64

    /// Creates an empty list, whose identifiers are above `first`.
    package init(loop: RadioLoop, after first: UInt64 = 0) {
        self.loop = loop
        last = first
    }

    /// Begins an operation of a user, as a part of one of its uses of the link.
    package func begin<Value>(
        timeout: Duration?, for owner: AnyObject? = nil, of use: AnyObject? = nil,
        _ completion: @escaping (Result<Value, RadioError>) -> Void
    ) -> LinkOperation<Value> {
        let use = use.map { ObjectIdentifier($0) }
        let operation = LinkOperation(nextIdentifier(), owner: owner, use: use, completion)
        operation.list = self
        operations[operation.id] = operation
        if let timeout {
            let timer = loop.makeTimer { [weak operation] in operation?.fail(.timeout) }
            timer.arm(at: loop.now + timeout)
            operation.timer = timer
        }
        return operation
    }

    package func nextIdentifier() -> OperationID {
        last += 1
        return OperationID(rawValue: last)
    }

    fileprivate func remove(_ id: OperationID) { operations[id] = nil }

    /// The owner of the oldest operation; nil if that has no particular owner.
    package var oldestOwner: AnyObject? {
        operations.min { $0.key.rawValue < $1.key.rawValue }?.value.owner
    }

    package func cancel(_ id: OperationID) { operations[id]?.fail(.cancelled) }

    /// Fails all operations, in the order in which they began.
    package func failAll(_ error: RadioError) { fail(error) { _ in true } }

    /// Fails the operations of one use of the link, in the order in which they began.
    package func failAll(of use: AnyObject, _ error: RadioError) {
        fail(error) { $0.use == ObjectIdentifier(use) }
    }

    private func fail(_ error: RadioError, where isMeant: (any PendingOperation) -> Bool) {
        let ids = operations.filter { isMeant($0.value) }.keys
        for id in ids.sorted(by: { $0.rawValue < $1.rawValue }) { operations[id]?.fail(error) }
    }
}
