import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// An LE credit-based L2CAP channel: messages in both directions, beside GATT.
///
/// Iterate over ``messages`` once to receive. The peer may send as many messages as it has credits. A credit is
/// returned when a message is taken from the stream, so a slow reader slows the sender and nothing is dropped.
public final class L2CAPChannel: Sendable {
    private let channel: LoopBound<any BackendChannel>
    private let loop: RadioLoop
    /// The object that must outlive the channel: the peripheral or the local peripheral that owns the link.
    private let owner: any Sendable & AnyObject
    private let buffer: StreamBuffer<[UInt8]>
    /// The PSM (protocol/service multiplexer) of the service.
    public let psm: UInt16
    /// The maximum length of a message that the peer accepts, in bytes.
    public let maximumMessageLength: Int
    /// The peer.
    public let peer: PeripheralID

    /// To be called on the loop.
    init(_ backendChannel: any BackendChannel, loop: RadioLoop, owner: any Sendable & AnyObject) {
        psm = backendChannel.psm
        maximumMessageLength = backendChannel.peerMTU
        peer = backendChannel.peer
        self.loop = loop
        self.owner = owner
        // Unlimited here: the peer's credits are the limit.
        let buffer = StreamBuffer<[UInt8]>(policy: .oldest(.max))
        self.buffer = buffer
        let label = "L2CAP channel \(psm)"
        backendChannel.attach { [weak buffer] message in
            buffer?.push(message.array)
        } closed: { [weak buffer] error in
            buffer?.finish(error.map { BluetoothError($0, label) })
        }
        channel = LoopBound(confined: backendChannel, loop: loop)
    }

    deinit {
        let channel = channel
        loop.execute { channel.value.close() }
    }

    /// The messages of the peer, in order; the sequence ends with the channel.
    public var messages: Messages { Messages(channel: self) }

    /// Sends one message. Returns when the radio has taken all of it, which slows a fast sender down.
    ///
    /// Cancelling the task ends the wait, for example for credits of the peer. The message stays in its place in the
    /// queue: the peer may receive it later.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the message exceeds ``maximumMessageLength``,
    ///   `limitReached` if too many messages wait, `notConnected` after the channel ended, `disconnected` if the link
    ///   ends, or `cancelled`.
    public func send(_ message: some Sequence<UInt8>) async throws(BluetoothError) {
        let (channel, bytes) = (channel, Array(message))
        let result: Result<Void, RadioError> = await LoopOperation.run(on: loop) { operation in
            operation.onCancel { operation.complete(.failure(.cancelled)) }
            channel.value.write(bytes) { operation.complete($0) }
        }
        if case .failure(let error) = result { throw BluetoothError(error, "send on L2CAP channel \(psm)") }
    }

    /// Closes the channel.
    public func close() async {
        let channel = channel
        await loop.run { channel.value.close() }
    }

    /// The messages that a channel receives.
    public struct Messages: AsyncSequence, AsyncIteratorProtocol, Sendable {
        /// The error that iterating throws.
        public typealias Failure = BluetoothError
        fileprivate let channel: L2CAPChannel

        /// The iterator.
        public func makeAsyncIterator() -> Messages { self }

        /// Returns the next message; nil when the channel was closed.
        /// - Throws: ``BluetoothError`` with the reason for which the channel ended.
        public func next() async throws(BluetoothError) -> [UInt8]? {
            guard let message = try await channel.buffer.next() else { return nil }
            let backend = channel.channel
            channel.loop.execute { backend.value.consumed() }
            return message
        }

        /// Returns the next message; nil when the channel was closed.
        /// - Throws: ``BluetoothError`` with the reason for which the channel ended.
        public func next(isolation actor: isolated (any Actor)?) async throws(BluetoothError) -> [UInt8]? {
            try await next()
        }
    }
}
