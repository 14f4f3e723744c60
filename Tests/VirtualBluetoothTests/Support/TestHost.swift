import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import VirtualBluetooth

/// A minimal host: it sends commands in hexadecimal and records received packets.
final class TestHost {
    let controller: VirtualController
    /// The received packets that were not taken, with the H4 type octet.
    private(set) var packets: [[UInt8]] = []

    init(_ controller: VirtualController) {
        self.controller = controller
        controller.transmit = { [unowned self] in packets.append($0.array) }
    }

    /// Sends a packet given in hexadecimal; spaces do not count.
    func send(_ hex: String) { bytes(hex).withByteView { controller.receive($0) } }

    /// Gives a command and takes its answer: the parameters of Command Complete behind the opcode, or the status of
    /// Command Status in brackets, or nothing.
    @discardableResult
    func command(_ opcode: HCIOpcode, _ parameters: String = "") -> String {
        let data = bytes(parameters)
        let head: [UInt8] = [1, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8), UInt8(data.count)]
        (head + data).withByteView { controller.receive($0) }
        let code = Array(head[1...2])
        let isAnswer: ([UInt8]) -> Bool = { packet in
            packet.count >= 6 && packet[0] == 4
                && (packet[1] == 0x0E && Array(packet[4...5]) == code
                    || packet[1] == 0x0F && packet.count == 7 && Array(packet[5...6]) == code)
        }
        guard let index = packets.firstIndex(where: isAnswer) else { return "" }
        let packet = packets.remove(at: index)
        return packet[1] == 0x0E ? packet.dropFirst(6).hexText() : "[\([packet[3]].hexText())]"
    }

    /// All packets received since the last call, with the H4 type byte.
    func takePackets() -> [[UInt8]] {
        defer { packets = [] }
        return packets
    }

    /// The same in hexadecimal.
    func take() -> [String] {
        defer { packets = [] }
        return packets.map { $0.hexText() }
    }

    /// The events received since the last call, without type byte and length.
    func takeEvents() -> [String] {
        take().filter { $0.hasPrefix("04") }.map { String($0.dropFirst(2).prefix(2) + $0.dropFirst(6)) }
    }

    /// Forgets the events with this code and these parameters.
    func drop(_ event: String) {
        let wanted = bytes(event)
        packets.removeAll { $0[0] == 4 && $0[1] == wanted[0] && $0.dropFirst(3).elementsEqual(wanted.dropFirst()) }
    }

    /// The ACL packets received since the last call; other packets are kept.
    func takeACL() -> [String] {
        defer { packets.removeAll { $0[0] == 2 } }
        return packets.filter { $0[0] == 2 }.map { $0.hexText() }
    }

    /// Reset, all events unmasked.
    func start() {
        command(.reset)
        command(.setEventMask, "FFFFFFFFFFFFFF3F")
        command(.leSetEventMask, "FFFFFFFFFFFFFFFF")
        packets = []
    }
}

/// The bytes of a hexadecimal text; spaces do not count.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }.compactMap(\.hexDigitValue)
    precondition(digits.count % 2 == 0, "odd number of digits")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The commands that most tests need, with their usual parameters.
extension TestHost {
    var address: String { controller.publicAddress.littleEndianHex }

    /// Legacy connectable advertising every 100 ms with this data.
    func advertise(_ data: String = "020106") {
        command(.leSetAdvertisingParameters, "A000 A000 00 00 00 000000000000 07 00")
        let padded = data + String(repeating: "00", count: 31 - data.count / 2)
        command(.leSetAdvertisingData, [UInt8(data.count / 2)].hexText() + padded)
        command(.leSetAdvertisingEnable, "01")
    }

    /// Legacy connection to a public address: interval 24 (30 ms), no latency, 500 (5 s).
    @discardableResult
    func connect(to peer: TestHost, interval: String = "1800", latency: String = "0000", timeout: String = "F401")
        -> String
    {
        command(
            .leCreateConnection,
            "6000 3000 00 00 \(peer.address) 00 \(interval) \(interval) \(latency) \(timeout) 0000 0000")
    }

    func acl(_ handle: UInt16, _ data: [UInt8], boundary: UInt16 = 0) {
        let head = [handle & 0xFFF | boundary << 12, UInt16(data.count)].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        ([2] + head + data).withByteView { controller.receive($0) }
    }
}

extension BluetoothAddress {
    var littleEndianHex: String {
        var writer = ByteWriter()
        write(to: &writer)
        return writer.bytes.hexText()
    }
}
