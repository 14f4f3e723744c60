/// An asynchronous sequence of values, for one consumer. Each request for a stream makes a new one.
///
/// The stream ends when its task is cancelled, when the iterator is released, or when the operation ends, with its
/// error. Its buffer is bounded: ``droppedCount`` counts the values that a full buffer drops.
public struct BluetoothStream<Element: Sendable>: AsyncSequence, Sendable {
    /// The error that iterating throws.
    public typealias Failure = BluetoothError

    let buffer: StreamBuffer<Element>
    private let lifetime: Lifetime

    init(policy: BufferingPolicy, onDrop: StreamDropHandler? = nil, _ start: (StreamBuffer<Element>) -> Void) {
        buffer = StreamBuffer(policy: policy, onDrop: onDrop)
        lifetime = Lifetime(buffer: buffer)
        start(buffer)
    }

    /// The number of values dropped because the consumer was too slow.
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

        /// Returns the next value; nil when the stream is over.
        /// - Throws: ``BluetoothError`` with which the stream ended.
        @inlinable
        public mutating func next() async throws(BluetoothError) -> Element? { try await buffer.next() }

        /// Returns the next value; nil when the stream is over.
        /// - Throws: ``BluetoothError`` with which the stream ended.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> Element? {
            try await buffer.next()
        }
    }

    /// Terminates the buffer when the stream and its iterators are released; the producer retains only the buffer.
    fileprivate final class Lifetime: Sendable {
        let buffer: StreamBuffer<Element>
        init(buffer: StreamBuffer<Element>) { self.buffer = buffer }
        deinit { buffer.terminate() }
    }
}
