import BluetoothModel
import BluetoothRuntime

/// A caller that waits, possibly with others, for the result of one procedure; the wait ends once. Confined to the
/// loop.
///
/// A caller that cancels or times out gets a verdict. The procedure may take a moment to stop; the wait then ends with
/// the verdict, whatever the result is.
package final class Waiter<Value>: BackendOperation {
    private var completion: ((Result<Value, RadioError>) -> Void)?
    private var timer: QueuedTimer?
    /// The error with which the wait ends; nil while the caller waits for the result.
    package private(set) var verdict: RadioError?
    /// The reason for which the caller cancelled, where it has one.
    package private(set) var reason: RadioError?
    /// Called with the first verdict; must lead to ``end(_:)``.
    package var onGiveUp: ((Waiter) -> Void)?

    /// Creates a waiting caller.
    package init(_ completion: @escaping (Result<Value, RadioError>) -> Void) { self.completion = completion }

    /// True once the caller was completed.
    package var isOver: Bool { completion == nil }
    /// True while the caller waits for the result.
    package var wantsResult: Bool { completion != nil && verdict == nil }

    /// Gives the caller the verdict `timeout` after this time. The wait then ends when the procedure has stopped, at
    /// the latest after `stopping`; nil for no limit.
    package func limit(to timeout: Duration?, stopping: Duration? = nil, on loop: RadioLoop) {
        guard let timeout else { return }
        let timer = loop.makeTimer { [weak self] in self?.timeOver(stopping, loop) }
        self.timer = timer
        timer.arm(at: loop.now + timeout)
    }

    private func timeOver(_ stopping: Duration?, _ loop: RadioLoop) {
        guard let stopping else { return giveUp(.timeout) }
        // The time to stop has passed, or the caller cancelled before.
        guard verdict == nil else { return end(.failure(.timeout)) }
        timer?.arm(at: loop.now + stopping)
        giveUp(.timeout)
    }

    /// Gives the caller the verdict `cancelled`.
    package func cancel() { giveUp(.cancelled) }

    /// Gives the caller the verdict `cancelled`, and records the reason.
    /// - Returns: The reason, or a more precise one.
    package func cancel(because reason: RadioError) -> RadioError {
        if wantsResult { self.reason = reason }
        cancel()
        return self.reason ?? reason
    }

    /// Gives the caller a verdict; only the first has an effect.
    package func giveUp(_ verdict: RadioError) {
        guard wantsResult else { return }
        self.verdict = verdict
        onGiveUp?(self)
    }

    /// Replaces the caller's reason, else the verdict, by a more precise error.
    package func sharpen(_ error: RadioError) {
        if reason != nil { reason = error } else if verdict != nil { verdict = error }
    }

    /// Completes the caller with its verdict, else with the result; only the first call has an effect.
    package func end(_ result: Result<Value, RadioError>) {
        timer?.disarm()
        guard let completion else { return }
        self.completion = nil
        onGiveUp = nil
        completion(verdict.map { .failure($0) } ?? result)
    }
}
