import BluetoothRuntime
import Synchronization

extension BluetoothStream {
    /// What came of waiting for the next value for some time.
    public enum Arrival: Sendable {
        /// A value.
        case value(Element)
        /// Nothing came in time. What comes later is still there to be asked for.
        case silence
        /// The stream is over.
        case end
    }
}

extension BluetoothStream.Iterator {
    /// The next value, if it comes within `duration` on the clock of the peripheral's adapter. A value that is there
    /// counts, however late it is asked for.
    public mutating func next(
        within duration: Duration, of peripheral: Peripheral
    ) async throws(BluetoothError) -> BluetoothStream<Element>.Arrival {
        if let ready = buffer.ready() { return try Self.arrival(ready) }
        let silence = Silence(on: peripheral.radio.loop, after: duration, of: buffer)
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

/// Whether nothing has come for long enough. It is the loop's timer and no task: a task of its own would begin to count only
/// when a thread is free for it.
///
/// `@unchecked Sendable`: the timer is touched only in what the loop executes, in the order it was asked for, so it is there
/// before it is cancelled; the rest is constant or atomic.
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
            // It may stay in the loop's queue for a while, and would keep the buffer.
            timer?.onFire = nil
            timer = nil
        }
    }
}

extension StreamBuffer {
    /// Lets the consumer look again.
    fileprivate func wake() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits until there is something to look at. Silence that begins before the continuation is kept is seen by the lock,
    /// silence that begins afterwards finds it.
    fileprivate func wait(unless silence: Silence) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    guard state.elements.isEmpty, state.end == nil, !silence.hasBegun else { return false }
                    precondition(state.waiting == nil, "one stream has one consumer: ask for a stream of its own")
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
