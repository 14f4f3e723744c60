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
        let silence = Silence()
        let timer = Task { [buffer] in
            guard (try? await peripheral.wait(for: duration)) != nil else { return }
            silence.begin()
            buffer.wake()
        }
        defer { timer.cancel() }
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

/// Whether nothing has come for long enough.
private final class Silence: Sendable {
    private let flag = Atomic(false)
    var hasBegun: Bool { flag.load(ordering: .acquiring) }
    func begin() { flag.store(true, ordering: .releasing) }
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
