import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// H4 on a byte stream: TCP, Unix stream sockets and serial ports.
final class StreamChannel: DescriptorChannel {
    /// The kind of descriptor that carries the stream.
    enum Kind {
        case tcp
        case unix
        /// Not a socket, so bytes are transferred with `read` and `write`.
        case serial
    }

    private let kind: Kind
    private var framer = H4Framer()
    private var queue = OutgoingBytes()
    private lazy var buffer = ReadBuffer(byteCount: 64 * 1024)

    init(_ kind: Kind, descriptor: Int32, name: String, loop: RadioLoop) {
        self.kind = kind
        super.init(descriptor: descriptor, name: name, loop: loop)
        if kind == .tcp {
            SystemCall.disableNagle(descriptor)
            SystemCall.acknowledgeQuickly(descriptor)
        }
    }

    override var isSocket: Bool { kind != .serial }

    override func readTurn(_ delegate: any HCIChannelDelegate) -> Bool {
        let buffer = buffer.bytes
        let outcome =
            kind == .serial
            ? SystemCall.read(descriptor, into: buffer) : SystemCall.receive(descriptor, into: buffer)
        switch outcome {
        case .moved(let count) where count > 0:
            received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), delegate)
        case .moved: fail(.closedByPeer(name))
        case .wouldBlock: return false
        case .failed(let code): fail(error(code, doing: "read"))
        }
        return true
    }

    override func received(_ bytes: UnsafeRawBufferPointer, _ delegate: any HCIChannelDelegate) {
        // Some controllers write a packet in pieces and delay each until the previous one is acknowledged.
        if kind == .tcp { SystemCall.acknowledgeQuickly(descriptor) }
        let damage = framer.receive(bytes) { packet in
            // The delegate may close the channel with any packet.
            if isOpen { delegate.channel(self, received: packet) }
        }
        if let damage { fail(.desynchronised(name, reason: damage.description)) }
    }

    override func transmit(_ packet: ByteView) {
        switch write(packet.unsafeBytes) {
        case .moved(let count): if count < packet.count { enqueue(packet.dropFirst(count)) }
        case .wouldBlock: enqueue(packet)
        case .failed(let code): failLater(error(code, doing: "write"))
        }
    }

    override func enqueue(_ packet: ByteView) {
        queue.append(packet.unsafeBytes)
        queuedCount = queue.count
    }

    override func flush() -> Int32? {
        defer { queuedCount = queue.count }
        while !queue.isEmpty {
            switch queue.withFront({ write($0) }) {
            case .moved(let count): queue.consume(count)
            case .wouldBlock: return nil
            case .failed(let code): return code
            }
        }
        return nil
    }

    override func dropQueue() {
        queue.removeAll()
        super.dropQueue()
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> TransferOutcome {
        kind == .serial ? SystemCall.write(descriptor, bytes) : SystemCall.send(descriptor, bytes)
    }
}
