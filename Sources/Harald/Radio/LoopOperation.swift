import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The state of a ``LoopOperation``.
private enum LoopOperationState { case idle, running, done }

/// An operation that a task awaits and the adapter's loop performs. It ends exactly once.
///
/// The continuation carries no value and no property is an enum around a generic one; the result is in separately
/// allocated memory. Otherwise each read looks up a dozen types by name in the runtime.
///
/// Proof of `@unchecked Sendable`: everything but `loop`, which is constant, is accessed on the loop only, until the
/// continuation is resumed; then only the task accesses the result, and the loop no longer does.
final class LoopOperation<Value: Sendable>: @unchecked Sendable {
    private let loop: RadioLoop
    private var state = LoopOperationState.idle
    private var start: (@Sendable (LoopOperation) -> Void)?
    /// The unchecked continuation is resumed exactly once: only ``finish(_:)`` resumes it and takes it out first, and
    /// `state` is done then.
    private var continuation: UnsafeContinuation<Void, Never>?
    private var cancelBody: (() -> Void)?
    /// The time at which the operation of a task on another thread began.
    private var began: RadioInstant?
    /// The operation that runs on a link. Separate from ``cancelBody``, whose closure would cost an allocation for
    /// every read.
    private var onLink: (link: any PeripheralLink, identifier: OperationID)?
    /// Uninitialized until the operation ends; ``takeOutcome()`` moves the result out and deallocates the memory.
    private let result: UnsafeMutablePointer<Result<Value, RadioError>>

    private init(loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void) {
        self.loop = loop
        self.start = start
        result = .allocate(capacity: 1)
    }

    /// Runs `start` on the loop and waits for ``complete(_:)``. Cancelling the task calls the closure given to
    /// ``onCancel(_:)``.
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

    /// Runs an operation that cancellation does not interrupt, for teardown.
    static func runToTheEnd(
        on loop: RadioLoop, _ start: @escaping @Sendable (LoopOperation) -> Void
    ) async -> Result<Value, RadioError> {
        let operation = LoopOperation(loop: loop, start)
        await operation.run()
        return operation.takeOutcome()
    }

    /// Returns the result. To be called once, after ``run()``: only ``finish(_:)`` resumes that, after it initialized
    /// the result.
    private func takeOutcome() -> Result<Value, RadioError> {
        defer { result.deallocate() }
        return result.move()
    }

    private func run() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            self.continuation = continuation
            // A caller on the loop does not hop. Its start is not inside a callback, because the caller is a task.
            if loop.isOnLoop {
                begin()
            } else if !loop.runInline(until: { self.state == .done }, { self.beginFromOutside() }) {
                loop.execute { self.beginFromOutside() }
            }
        }
    }

    private func beginFromOutside() {
        began = loop.operationBegan()
        begin()
    }

    private func begin() {
        guard state == .idle else { return finish(.failure(.cancelled)) }
        state = .running
        let start = start
        self.start = nil
        start?(self)
    }

    /// Sets the closure that is called when the task is cancelled while the operation runs. It must lead to
    /// ``complete(_:)``.
    func onCancel(_ body: @escaping () -> Void) {
        if state == .running { cancelBody = body }
    }

    /// Sets the link's operation that is cancelled when the task is cancelled.
    func runs(_ identifier: OperationID, on link: any PeripheralLink) {
        if state == .running { onLink = (link, identifier) }
    }

    /// Completes the operation; only the first call has an effect.
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
        if let began { loop.operationEnded(since: began) }
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
