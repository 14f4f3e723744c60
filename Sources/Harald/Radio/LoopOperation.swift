import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// What has become of a ``LoopOperation``.
private enum LoopOperationState { case idle, running, done }

/// One operation that a task awaits and the adapter's loop performs: it ends exactly once.
///
/// The continuation carries no value, and no property has an enum around a generic one, which is why the result has memory
/// of its own: with those, each read asked the runtime for a dozen types by name.
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
    /// What runs on a link: kept apart from ``cancelBody``, for which every read would allocate.
    private var onLink: (link: any PeripheralLink, identifier: OperationID)?
    /// Empty until the end; ``takeOutcome()`` takes what is there and frees it.
    private let result: UnsafeMutablePointer<Result<Value, RadioError>>

    private init(loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void) {
        self.loop = loop
        self.start = start
        result = .allocate(capacity: 1)
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
        return operation.takeOutcome()
    }

    /// The same for what tears down: it happens in a cancelled task too.
    static func runToTheEnd(
        on loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void
    ) async -> Result<Value, RadioError> {
        let operation = LoopOperation(loop: loop, start)
        await operation.run()
        return operation.takeOutcome()
    }

    /// Once, after ``run()``: nothing resumes that but ``finish(_:)``, which leaves a result.
    private func takeOutcome() -> Result<Value, RadioError> {
        defer { result.deallocate() }
        return result.move()
    }

    private func run() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            self.continuation = continuation
            // A caller on the loop does not hop; its start is not inside anybody's callback, for it is a task.
            if loop.isOnLoop {
                begin()
            } else if !loop.enter({ begin() }) {
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

    /// The same for what a link does: it is told to cancel that.
    func runs(_ identifier: OperationID, on link: any PeripheralLink) {
        if state == .running { onLink = (link, identifier) }
    }

    /// Ends the operation; only the first call counts.
    func complete(_ result: Result<Value, RadioError>) {
        guard state == .running else { return }
        state = .done
        finish(result)
    }

    private func finish(_ result: Result<Value, RadioError>) {
        guard let waiting = continuation else { return }
        continuation = nil
        cancelBody = nil
        onLink = nil
        self.result.initialize(to: result)
        loop.resume(waiting)
    }

    private func cancel() {
        switch state {
        case .idle: state = .done
        case .running: if let onLink { onLink.link.cancel(onLink.identifier) } else { cancelBody?() }
        case .done: break
        }
    }
}
