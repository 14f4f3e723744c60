import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// H4 on a socket that keeps packet boundaries, one packet per system call: SEQPACKET and the Linux HCI user channel.
final class PacketChannel: DescriptorChannel {
    /// The number of dropped packets, whose length does not match their header. The boundaries of the next one are
    /// known anyway.
    private(set) var malformedCount = 0

    private var queue = OutgoingPackets()
    private var batch = ReceiveBatch()
    private let explain: ((Int32) -> TransportError?)?
    private lazy var buffer = ReadBuffer(byteCount: H4.maximumPacketLength + 1)

    /// - Parameter explain: returns the error for an `errno` that is special on this kind of socket.
    init(descriptor: Int32, name: String, loop: RadioLoop, explain: ((Int32) -> TransportError?)? = nil) {
        self.explain = explain
        super.init(descriptor: descriptor, name: name, loop: loop)
    }

    override func readTurn(_ delegate: any HCIChannelDelegate) -> Bool {
        let buffer = buffer.bytes
        var count = 0
        reading: while count < batch.limit, isOpen {
            switch SystemCall.receive(descriptor, into: buffer) {
            case .moved(let length) where length > 0:
                count += 1
                received(UnsafeRawBufferPointer(rebasing: buffer[..<length]), delegate)
            case .moved: fail(.closedByPeer(name))
            case .wouldBlock: break reading
            case .failed(let code): fail(error(code, doing: "read"))
            }
        }
        batch.received(count)
        return count > 0
    }

    override func received(_ bytes: UnsafeRawBufferPointer, _ delegate: any HCIChannelDelegate) {
        // The delegate may close the channel with any packet.
        guard isOpen else { return }
        let packet = ByteView(bytes)
        if H4.isWholePacket(packet) {
            delegate.channel(self, received: packet)
        } else {
            malformedCount += 1
        }
    }

    override func transmit(_ packet: ByteView) {
        guard let reader else { return sendNow(packet) }
        if reader.hold(packet.unsafeBytes) { return }
        // The packets that are sent now may end the channel.
        reader.takeHeld { sendInOrder(ByteView($0)) }
        sendInOrder(packet)
    }

    private func sendInOrder(_ packet: ByteView) {
        guard isOpen else { return }
        if queuedCount > 0 { enqueue(packet) } else { sendNow(packet) }
    }

    private func sendNow(_ packet: ByteView) {
        switch SystemCall.send(descriptor, packet.unsafeBytes) {
        case .moved: break
        case .wouldBlock: enqueue(packet)
        case .failed(let code): failLater(error(code, doing: "write"))
        }
    }

    override func enqueue(_ packet: ByteView) {
        queue.append(packet)
        queuedCount = queue.count
    }

    override func flush() -> Int32? {
        defer { queuedCount = queue.count }
        while let outcome = queue.withFirst({ SystemCall.send(descriptor, $0.unsafeBytes) }) {
            switch outcome {
            case .moved: queue.removeFirst()
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

    override func error(_ code: Int32, doing operation: String) -> TransportError {
        explain?(code) ?? super.error(code, doing: operation)
    }
}
