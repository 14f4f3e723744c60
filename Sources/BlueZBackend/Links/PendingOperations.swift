import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// One thing that a user waits for; it ends once.
protocol PendingOperation: AnyObject {
    func fail(_ error: RadioError)
}

/// An operation with its result's type.
final class LinkOperation<Value>: PendingOperation {
    let id: OperationID
    private var completion: ((Result<Value, RadioError>) -> Void)?
    fileprivate var timer: QueuedTimer?
    fileprivate weak var list: PendingOperations?
    /// What else to do when the user gives up or the time is over.
    var onAbandon: (() -> Void)?

    fileprivate init(_ id: OperationID, _ completion: @escaping (Result<Value, RadioError>) -> Void) {
        self.id = id
        self.completion = completion
    }

    var isOver: Bool { completion == nil }

    /// Ends the operation; only the first end counts.
    func complete(_ result: Result<Value, RadioError>) {
        guard let completion else { return }
        self.completion = nil
        onAbandon = nil
        timer?.disarm()
        list?.remove(id)
        completion(result)
    }

    func fail(_ error: RadioError) {
        let abandon = onAbandon
        complete(.failure(error))
        abandon?()
    }
}

/// What the users of one link wait for, each with its time and its way to be given up.
final class PendingOperations {
    private let loop: RadioLoop
    private var operations: [OperationID: any PendingOperation] = [:]
    private var last: UInt64 = 0

    init(loop: RadioLoop) { self.loop = loop }

    func begin<Value>(
        timeout: Duration?, _ completion: @escaping (Result<Value, RadioError>) -> Void
    ) -> LinkOperation<Value> {
        let operation = LinkOperation(nextIdentifier(), completion)
        operation.list = self
        operations[operation.id] = operation
        if let timeout {
            let timer = loop.makeTimer { [weak operation] in operation?.fail(.timeout) }
            timer.arm(at: loop.now + timeout)
            operation.timer = timer
        }
        return operation
    }

    func nextIdentifier() -> OperationID {
        last += 1
        return OperationID(rawValue: last)
    }

    fileprivate func remove(_ id: OperationID) { operations[id] = nil }

    func cancel(_ id: OperationID) { operations[id]?.fail(.cancelled) }

    /// Everything ends, in the order in which it began.
    func failAll(_ error: RadioError) {
        for id in operations.keys.sorted(by: { $0.rawValue < $1.rawValue }) { operations[id]?.fail(error) }
    }
}
