import Synchronization

/// Gives every consumer its own stream and sends each element to all of them.
final class StreamHub<Element: Sendable>: Sendable {
    private struct State {
        var buffers: [Int: WeakBuffer] = [:]
        var nextKey = 0
        var isFinished = false
    }

    private struct WeakBuffer: Sendable { weak var buffer: StreamBuffer<Element>? }

    private let state = Mutex(State())

    /// Returns a new stream, which starts with `first` if given. `first` is evaluated under the lock under which the
    /// stream is registered, so that no element is missed in between.
    func stream(
        policy: BufferingPolicy = .newest(64), first: @autoclosure () -> Element? = nil
    ) -> BluetoothStream<Element> {
        BluetoothStream(policy: policy) { buffer in
            let key = state.withLock { state -> Int? in
                // No consumer waits for this buffer yet, so the push resumes nothing under the lock.
                if let first = first() { buffer.push(first) }
                guard !state.isFinished else { return nil }
                state.nextKey += 1
                state.buffers[state.nextKey] = WeakBuffer(buffer: buffer)
                return state.nextKey
            }
            guard let key else { return buffer.finish() }
            buffer.onTermination { [weak self] in self?.remove(key) }
        }
    }

    func push(_ element: Element) {
        for buffer in current() { buffer.push(element) }
    }

    func finish(_ error: BluetoothError? = nil) {
        let buffers = state.withLock { state in
            defer {
                state.isFinished = true
                state.buffers = [:]
            }
            return state.buffers.values.compactMap(\.buffer)
        }
        for buffer in buffers { buffer.finish(error) }
    }

    private func current() -> [StreamBuffer<Element>] { state.withLock { $0.buffers.values.compactMap(\.buffer) } }

    private func remove(_ key: Int) { _ = state.withLock { $0.buffers.removeValue(forKey: key) } }
}
