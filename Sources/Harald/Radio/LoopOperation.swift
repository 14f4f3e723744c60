import BluetoothRuntime

/// One operation that a task awaits and the adapter's loop performs: it ends exactly once.
///
/// `@unchecked Sendable`: everything but `loop` is touched on the loop only.
final class LoopOperation<Value: Sendable>: @unchecked Sendable {
    private enum State {
        case idle
        case running(CheckedContinuation<Result<Value, RadioError>, Never>, cancel: (() -> Void)?)
        case done
    }

    private let loop: RadioLoop
    private var state = State.idle

    private init(loop: RadioLoop) { self.loop = loop }

    /// Runs `start` on the loop and waits for ``complete(_:)``. A cancelled task calls what ``onCancel(_:)`` was given.
    static func run(
        on loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void
    ) async -> Result<Value, RadioError> {
        let operation = LoopOperation(loop: loop)
        return await withTaskCancellationHandler {
            await operation.run(start)
        } onCancel: {
            loop.execute { operation.cancel() }
        }
    }

    /// The same for what tears down: it happens in a cancelled task too.
    static func runToTheEnd(
        on loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void
    ) async -> Result<Value, RadioError> {
        await LoopOperation(loop: loop).run(start)
    }

    private func run(_ start: @escaping @Sendable (LoopOperation) -> Void) async -> Result<Value, RadioError> {
        await withCheckedContinuation { continuation in
            // A caller on the loop does not hop; its start is not inside anybody's callback, for it is a task.
            if loop.isOnLoop {
                begin(continuation, start)
            } else {
                loop.execute { self.begin(continuation, start) }
            }
        }
    }

    private func begin(
        _ continuation: CheckedContinuation<Result<Value, RadioError>, Never>, _ start: (LoopOperation) -> Void
    ) {
        guard case .idle = state else { return continuation.resume(returning: .failure(.cancelled)) }
        state = .running(continuation, cancel: nil)
        start(self)
    }

    /// What to do when the task is cancelled while the operation runs; the completion has to follow.
    func onCancel(_ body: @escaping () -> Void) {
        if case .running(let continuation, _) = state { state = .running(continuation, cancel: body) }
    }

    /// Ends the operation; only the first call counts.
    func complete(_ result: Result<Value, RadioError>) {
        guard case .running(let continuation, _) = state else { return }
        state = .done
        continuation.resume(returning: result)
    }

    private func cancel() {
        switch state {
        case .idle: state = .done
        case .running(_, let cancel): cancel?()
        case .done: break
        }
    }
}
