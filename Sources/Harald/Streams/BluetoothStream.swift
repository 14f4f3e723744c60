/// Values that arrive over time; a fresh stream each time one is asked for, with one consumer.
///
/// The stream ends when its task is cancelled, when the iterator is released, or with what the operation says. Its
/// buffer is bounded: what a full one drops is counted in ``droppedCount``.
public struct BluetoothStream<Element: Sendable>: AsyncSequence, Sendable {
    /// What iterating can throw.
    public typealias Failure = BluetoothError

    let buffer: StreamBuffer<Element>
    private let lifetime: Lifetime

    init(policy: BufferingPolicy, _ start: (StreamBuffer<Element>) -> Void) {
        buffer = StreamBuffer(policy: policy)
        lifetime = Lifetime(buffer: buffer)
        start(buffer)
    }

    /// How many values were dropped because the consumer was too slow.
    public var droppedCount: Int { buffer.dropped }

    /// The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer, lifetime: lifetime) }

    /// Iterates over a ``BluetoothStream``.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let buffer: StreamBuffer<Element>
        private let lifetime: Lifetime

        fileprivate init(buffer: StreamBuffer<Element>, lifetime: Lifetime) {
            self.buffer = buffer
            self.lifetime = lifetime
        }

        /// The next value; nil when the stream is over.
        @inlinable
        public mutating func next() async throws(BluetoothError) -> Element? { try await buffer.next() }

        /// The next value; nil when the stream is over.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> Element? {
            try await buffer.next()
        }
    }

    /// Ends the buffer when the stream and its iterators are released; the producer holds the buffer only.
    fileprivate final class Lifetime: Sendable {
        let buffer: StreamBuffer<Element>
        init(buffer: StreamBuffer<Element>) { self.buffer = buffer }
        deinit { buffer.terminate() }
    }
}
