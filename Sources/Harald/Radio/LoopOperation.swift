import BluetoothRuntime

/// What has become of a ``LoopOperation``.
private enum LoopOperationState { case idle, running, done }

/// One operation that a task awaits and the adapter's loop performs: it ends exactly once.
///
/// The continuation carries no value, and no property has an enum around a generic one: with those, each read asked the
/// runtime for a dozen types by name.
///
/// `@unchecked Sendable`: everything but `loop` is touched on the loop only, until the continuation was resumed; then the
/// task takes the result, and the loop has done with it.
final class LoopOperation<Value: Sendable>: @unchecked Sendable {
    private let loop: RadioLoop
    private var state = LoopOperationState.idle
    private var start: (@Sendable (LoopOperation) -> Void)?
    /// Unchecked: it is resumed by ``finish(_:)`` alone, once, for `state` is done then.
    private var continuation: UnsafeContinuation<Void, Never>?
    private var cancelBody: (() -> Void)?
    private var result: Result<Value, RadioError>?

    private init(loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void) {
        self.loop = loop
        self.start = start
    }

    /// Runs `start` on the loop and waits for ``complete(_:)``. A cancelled task calls what ``onCancel(_:)`` was given.
    static func run(
        on loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void
    ) async -> Result<Value, RadioError> {
        let operation = LoopOperation(loop: loop, start)
        await withTaskCancellationHandler {
            await operation.run()
        } onCancel: {
            loop.execute { operation.cancel() }
        }
        return operation.outcome
    }

    /// The same for what tears down: it happens in a cancelled task too.
    static func runToTheEnd(
        on loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void
    ) async -> Result<Value, RadioError> {
        let operation = LoopOperation(loop: loop, start)
        await operation.run()
        return operation.outcome
    }

    /// After the end there is a result.
    private var outcome: Result<Value, RadioError> { result ?? .failure(.cancelled) }

    private func run() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            self.continuation = continuation
            // A caller on the loop does not hop; its start is not inside anybody's callback, for it is a task.
            if loop.isOnLoop {
                begin()
            } else {
                loop.execute { self.begin() }
            }
        }
    }

    private func begin() {
        guard state == .idle else { return finish(.failure(.cancelled)) }
        state = .running
        let start = start
        self.start = nil
        start?(self)
    }

    /// What to do when the task is cancelled while the operation runs; the completion has to follow.
    func onCancel(_ body: @escaping () -> Void) {
        if state == .running { cancelBody = body }
    }

    /// Ends the operation; only the first call counts.
    func complete(_ result: Result<Value, RadioError>) {
        guard state == .running else { return }
        state = .done
        finish(result)
    }

    private func finish(_ result: Result<Value, RadioError>) {
        self.result = result
        cancelBody = nil
        let waiting = continuation
        continuation = nil
        waiting?.resume()
    }

    private func cancel() {
        switch state {
        case .idle: state = .done
        case .running: cancelBody?()
        case .done: break
        }
    }
}
