import BluetoothRuntime
import Synchronization

extension BluetoothStream {
    /// The outcome of waiting for the next value for a limited time.
    public enum Arrival: Sendable {
        /// A value.
        case value(Element)
        /// No value arrived in time. A later value stays available for the next call.
        case silence
        /// The stream is over.
        case end
    }
}

extension BluetoothStream.Iterator {
    /// Waits at most `duration` for the next value. A buffered value is returned whenever it arrived.
    /// - Parameters:
    ///   - duration: the limit.
    ///   - clock: the clock of the adapter that the values come from.
    /// - Throws: ``BluetoothError`` with which the stream ended.
    public mutating func next(
        within duration: Duration, clock: AdapterClock
    ) async throws(BluetoothError) -> BluetoothStream<Element>.Arrival {
        if let ready = buffer.ready() { return try Self.arrival(ready) }
        let silence = Silence(on: clock.loop, after: duration, of: buffer)
        defer { silence.cancel() }
        while true {
            if let ready = buffer.ready() { return try Self.arrival(ready) }
            if silence.hasBegun { return .silence }
            await buffer.wait(unless: silence)
        }
    }

    private static func arrival(
        _ result: Result<Element?, BluetoothError>
    ) throws(BluetoothError) -> BluetoothStream<Element>.Arrival {
        try result.get().map { .value($0) } ?? .end
    }
}

/// A flag that is set when no value arrived for the given time. It uses the loop's timer and not a task, whose time
/// would start only when a thread is free for it.
///
/// Proof of `@unchecked Sendable`: the timer is accessed only in work that the loop executes, in the order of the
/// calls, so it is created before it is cancelled; the rest is constant or atomic.
private final class Silence: @unchecked Sendable {
    private let loop: RadioLoop
    private let flag = Atomic(false)
    private var timer: QueuedTimer?

    init<Element>(on loop: RadioLoop, after duration: Duration, of buffer: StreamBuffer<Element>) {
        self.loop = loop
        loop.execute { [self] in
            timer = loop.makeTimer { [self] in
                flag.store(true, ordering: .releasing)
                buffer.wake()
            }
            timer?.arm(at: loop.now + duration)
        }
    }

    var hasBegun: Bool { flag.load(ordering: .acquiring) }

    func cancel() {
        loop.execute { [self] in
            timer?.disarm()
            // The timer may stay in the loop's queue for a while, and would retain the buffer.
            timer?.onFire = nil
            timer = nil
        }
    }
}

extension StreamBuffer {
    /// Resumes the consumer, which checks the buffer again.
    fileprivate func wake() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits until an element, the end or silence is available. Silence that begins before the continuation is stored
    /// is seen under the lock; silence that begins afterwards resumes the continuation.
    fileprivate func wait(unless silence: Silence) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    guard state.elements.isEmpty, state.end == nil, !silence.hasBegun else { return false }
                    precondition(
                        state.waiting == nil,
                        "a stream has one consumer: create another stream for each further consumer")
                    state.waiting = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            terminate()
        }
    }
}
