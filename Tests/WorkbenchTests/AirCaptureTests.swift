import BluetoothModel
import Testing
import VirtualBluetooth

@testable import Workbench

@Suite("Captures of the air")
struct AirCaptureTests {
    /// A packet of the air: its access address, header and payload, and true if the central sent it.
    private typealias Packet = (accessAddress: UInt32, header: UInt8, payload: [UInt8], isFromCentral: Bool?)

    private static let accessAddress: UInt32 = 0x5065_6A1B
    private static let longTermKey = [UInt8](0x10...0x1F)
    private static let central: [UInt8] = [1, 0, 0, 0, 0, 0xC1], peripheral: [UInt8] = [2, 0, 0, 0, 0, 0xC2]

    private static func frame(_ channel: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count), 0, channel, 0] + bytes
    }

    /// Advertising, a connection, a read in the clear, the start of encryption, and an encrypted read.
    private static func link(missing: Int = 0) -> [Packet] {
        let parameters: [UInt8] = [1, 2, 3, 2, 0, 0, 24, 0, 0, 0, 72, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 5]
        var connect = central + peripheral
        connect += CaptureBytes.little(accessAddress) + parameters
        let data: [UInt8] = [2, 1, 6, 5, 9, 0x4C, 0x6F, 0x63, 0x6B]
        var packets: [Packet] = [
            (0x8E89_BED6, 0x40, peripheral + data, nil),
            (0x8E89_BED6, 0xC5, connect, nil),
        ]
        var numbers: [Bool: UInt8] = [:]
        var ciphers: [Bool: PacketCipher] = [:]
        func add(_ isFromCentral: Bool, _ kind: UInt8, _ clear: [UInt8], isLost: Bool = false) {
            var packet = LinkPDU(header: kind | (numbers[isFromCentral] ?? 0), payload: clear)
            numbers[isFromCentral] = (numbers[isFromCentral] ?? 0) ^ 0x08
            ciphers[isFromCentral]?.seal(&packet)
            if !isLost { packets.append((accessAddress, packet.header, packet.payload, isFromCentral)) }
        }
        add(true, 2, frame(4, [0x0A, 3, 0]))
        add(false, 2, frame(4, [0x0B, 85]))
        // The peripheral repeats its last packet in the next event.
        let last = packets[packets.count - 1]
        add(true, 1, [])
        packets.append(last)
        let (first, second) = ((1...8).map { UInt8($0) }, (11...18).map { UInt8($0) })
        let request: [UInt8] = [0x03, 7, 7, 7, 7, 7, 7, 7, 7, 1, 2]
        add(true, 3, request + first + [21, 22, 23, 24])
        add(false, 3, [0x04] + second + [31, 32, 33, 34])
        add(true, 1, [])
        add(false, 3, [0x05])
        let session = EncryptionSession(
            longTermKey: longTermKey,
            central: EncryptionShare(diversifier: 0x0807_0605_0403_0201, vector: 0x1817_1615),
            peripheral: EncryptionShare(diversifier: 0x1211_100F_0E0D_0C0B, vector: 0x2221_201F))
        ciphers = [
            true: PacketCipher(session, sender: .central), false: PacketCipher(session, sender: .peripheral),
        ]
        add(true, 3, [0x06])
        add(false, 3, [0x06])
        for _ in 0..<missing { add(true, 2, frame(4, [0x52, 9, 0, 1]), isLost: true) }
        add(true, 2, frame(4, [0x0A, 7, 0]))
        add(false, 2, frame(4, [0x0B, 42]))
        add(true, 3, [0x02, 0x13])
        return packets
    }

    private static func data(_ packet: Packet, link: UInt32) -> [UInt8] {
        let bytes =
            CaptureBytes.little(packet.accessAddress) + [packet.header, UInt8(packet.payload.count)] + packet.payload
            + [0, 0, 0]
        switch link {
        case 256:
            let direction: UInt16 = packet.isFromCentral.map { $0 ? 2 : 3 } ?? 0
            let flags = CaptureBytes.little(UInt16(0x0C03) | direction << 7)
            let head: [UInt8] = [5, 0xC4, 0x80, 0, 0, 0, 0, 0]
            return head + flags + bytes
        case 272:
            let flags: UInt8 = 1 | (packet.isFromCentral == true ? 2 : 0)
            let length = CaptureBytes.little(UInt16(10 + bytes.count))
            let kind: UInt8 = packet.isFromCentral == nil ? 2 : 6
            let head: [UInt8] = [3, 0, 0, kind, 10, flags, 5, 60, 0, 0, 0, 0, 0, 0]
            return [1] + length + head + bytes
        default: return bytes
        }
    }

    /// A pcap file. Answers follow after 150 µs.
    private static func file(_ packets: [Packet], link: UInt32) -> [UInt8] {
        var time = 0
        return packets.reduce(
            into: CaptureBytes.pcap([], link: link)
        ) { file, packet in
            let bytes = data(packet, link: link)
            let length = CaptureBytes.little(UInt32(bytes.count))
            file += CaptureBytes.little(UInt32(1000 + time / 1_000_000))
            file += CaptureBytes.little(UInt32(time % 1_000_000)) + length + length + bytes
            // The answer follows 150 µs after the end of the packet; another event of the link later.
            let end = 8 * (packet.payload.count + 10) + 150
            time += packet.isFromCentral == true ? end : 30_000
        }
    }

    private func dissect(_ packets: [Packet], link: UInt32, keys: [[UInt8]]) -> [Dissection] {
        var dissector = Dissector(airKeys: keys)
        let (records, damage) = CaptureBytes.read(Self.file(packets, link: link))
        #expect(damage == nil)
        return records.map { dissector.dissect($0) }
    }

    @Test(
        "Every link type shows advertising, links and the attribute protocol", arguments: [251, 256, 272] as [UInt32])
    func clear(link: UInt32) {
        let records = dissect(Self.link(), link: link, keys: [])
        #expect(records.compactMap(\.error) == [])
        #expect(records[0].summary.hasPrefix("ADV_IND: C2:00:00:00:00:02 {Flags"), "\(records[0].summary)")
        #expect(
            records[1].summary.contains("CONNECT_IND: C1:00:00:00:00:01 to C2:00:00:00:00:02 access address 0x50656A1B")
        )
        #expect(records[2].att == .init(opcode: 0x0A, handles: [3]))
        #expect(records[3].att == .init(opcode: 0x0B, handles: [3]))
        #expect(records[3].devices.map(\.text) == ["C2:00:00:00:00:02"])
        #expect(records[4].summary == "an empty packet" && records[5].summary == "a repeated packet")
        #expect(records[6].summary == "LL_ENC_REQ: (22 octets concealed)")
        #expect(records[9].summary == "LL_START_ENC_REQ")
        #expect(records.suffix(5).allSatisfy { $0.summary.hasPrefix("an encrypted packet of ") })
        // Link type 251 has no directions, but the times show them.
        let event: [CaptureRecord.Direction?] = [.sent, .received]
        let expected = (0..<6).flatMap { _ in event } + [.sent]
        #expect(records[2...].map(\.direction) == expected)
    }

    @Test("Keys decrypt links, also after packets that were missed", arguments: [251, 256, 272] as [UInt32], [0, 6])
    func decrypted(link: UInt32, missing: Int) {
        let wrong = [UInt8](repeating: 9, count: 16)
        let records = dissect(Self.link(missing: missing), link: link, keys: [wrong, Self.longTermKey])
        #expect(records.compactMap(\.error) == [])
        #expect(records[10...11].map(\.summary) == ["LL_START_ENC_RSP", "LL_START_ENC_RSP"])
        #expect(records[12].att == .init(opcode: 0x0A, handles: [7]))
        #expect(records[13].att == .init(opcode: 0x0B, handles: [7]))
        #expect(records[13].summary.hasSuffix("2A"), "\(records[13].summary)")
        #expect(records[14].summary.hasPrefix("LL_TERMINATE_IND: "))
        #expect(records[13].layers.contains("decrypted"))
    }

    @Test("A wrong CRC and a truncated packet are told")
    func broken() {
        var file = Self.file(Array(Self.link().prefix(1)), link: 256)
        // The flags of the only packet: its CRC was checked, and is wrong.
        file[24 + 16 + 9] = 0x04
        var dissector = Dissector()
        #expect(CaptureBytes.read(file).records.map { dissector.dissect($0).error } == ["the CRC is wrong"])
        let whole = Self.data(Self.link()[2], link: 251)
        for count in 0..<(whole.count - 3) {
            let length = CaptureBytes.little(UInt32(count))
            let file =
                CaptureBytes.pcap([], link: 251) + [0, 0, 0, 0, 0, 0, 0, 0] + length + length + whole.prefix(count)
            var dissector = Dissector()
            #expect(
                CaptureBytes.read(file).records.map { dissector.dissect($0).summary.contains("truncated") } == [true])
        }
    }

    @Test("Keys are the words of 32 digits in a file, in both orders")
    func keys() {
        let text = "# a list\n000102030405060708090A0B0C0D0E0F\n{\"key\":\"0f0e0d0c0b0a09080706050403020100\"} 0011\n"
        let up = [UInt8](0...15), down = [UInt8](up.reversed())
        #expect(AirKeys.keys(in: Array(text.utf8)) == [up, down, down, up])
    }
}
