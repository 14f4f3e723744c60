import BluetoothModel
import Foundation
import Testing

@testable import Workbench

@Suite("Captures of Apple's PacketLogger and of Android's bug reports")
struct ForeignCaptureTests {
    private static let packets = [LinkPackets.connected] + LinkPackets.discovery + [LinkPackets.disconnected(0x13)]

    /// The type of a packet in PacketLogger.
    private static func type(_ packet: CaptureBytes.Packet) -> UInt8 {
        switch packet.bytes[0] {
        case 1: 0x00
        case 4: 0x01
        default: packet.direction == .sent ? 0x02 : 0x03
        }
    }

    static func logger(_ packets: [CaptureBytes.Packet], isBig: Bool) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            isBig ? CaptureBytes.big(UInt32(value)) : CaptureBytes.little(UInt32(value))
        }
        return packets.enumerated().reduce(into: []) { file, packet in
            let time = Int(CaptureBytes.start) + packet.offset * 1000
            file += number(packet.element.bytes.count + 8) + number(time / 1_000_000) + number(time % 1_000_000)
            file += [type(packet.element)] + packet.element.bytes.dropFirst()
        }
    }

    /// A bug report with the packets.
    static func report(_ packets: [CaptureBytes.Packet], version: UInt8) -> [UInt8] {
        var log: [UInt8] = []
        for (index, packet) in packets.enumerated() {
            let length = CaptureBytes.little(UInt16(packet.bytes.count))
            log += version == 2 ? length + length : length
            log += CaptureBytes.little(UInt32(index == 0 ? 0 : 1000))
            let base: UInt8 = packet.direction == .sent ? 0x1F : 0x0F
            log.append(base + (packet.bytes[0] == 4 ? 1 : packet.bytes[0]))
            log += packet.bytes.dropFirst()
        }
        let last = CaptureBytes.start + Int64(packets.count - 1) * 1000
        let data = [version] + CaptureBytes.little(last) + stored(log)
        let lines = Data(data).base64EncodedString(options: .lineLength64Characters)
        return Array("Bug report\n--- BEGIN:BTSNOOP_LOG_SUMMARY (1 bytes in) ---\n\(lines)\n".utf8)
            + Array("--- END:BTSNOOP_LOG_SUMMARY ---\nmore\n".utf8)
    }

    /// Data in the format of zlib, in one block without compression (RFC 1950, RFC 1951).
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        let length = UInt16(data.count)
        let (a, b) = data.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let a = (sums.0 + UInt32(byte)) % 65_521
            return (a, (sums.1 + a) % 65_521)
        }
        return [0x78, 0x01, 1] + CaptureBytes.little(length) + CaptureBytes.little(~length) + data
            + CaptureBytes.big(b << 16 | a)
    }

    private func check(_ file: [UInt8]) {
        let (records, damage) = CaptureBytes.read(file)
        #expect(damage == nil, "\(damage?.description ?? "")")
        #expect(records == CaptureBytes.read(CaptureBytes.snoop(Self.packets)).records)
    }

    @Test("Records of PacketLogger, in both byte orders", arguments: [false, true])
    func logger(isBig: Bool) {
        let file = Self.logger(Self.packets, isBig: isBig)
        check(file)
        #expect(CaptureBytes.read(Array(file.dropLast())).damage?.description.contains("the file ends") == true)
        // A note is counted, and its text is not shown.
        let note = CaptureBytes.little(UInt32(11)) + CaptureBytes.little(UInt64(1)) + [0xFC, 0x41, 0x42]
        let records = CaptureBytes.dissect(note + Self.logger(Self.packets, isBig: false))
        #expect(records.first?.summary == "Note, 2 octets")
        #expect(records.count == Self.packets.count + 1)
    }

    @Test("Packets in bug reports, of both versions", arguments: [1, 2] as [UInt8])
    func report(version: UInt8) {
        let file = Self.report(Self.packets, version: version)
        check(file)
        // Every part is read or refused, and nothing else.
        for count in stride(from: 0, to: file.count, by: 17) { _ = CaptureBytes.read(Array(file.prefix(count))) }
        let text = String(decoding: file, as: UTF8.self)
        let damaged = text.replacing("eJ", with: "AA").replacing("AQ", with: "AB")
        _ = CaptureBytes.read(Array(damaged.utf8))
        let other = CaptureBytes.read(Array("a text without packets\n".utf8))
        #expect(other.damage?.description.contains("not a capture") == true)
        #expect(CaptureBytes.read([0x50, 0x4B, 3, 4, 0]).damage?.description.contains("unpack") == true)
    }

    @Test("The attribute protocol over BR/EDR")
    func classic() {
        func frame(_ channel: UInt16, _ bytes: [UInt8], _ direction: CaptureRecord.Direction) -> CaptureBytes.Packet {
            LinkPackets.frame(channel, bytes, direction)
        }
        let records = CaptureBytes.dissect(
            CaptureBytes.snoop([
                ([4, 0x03, 11, 0, 0x40, 0, 1, 2, 3, 4, 5, 6, 1, 0], .received),
                frame(1, [0x02, 1, 4, 0, 0x1F, 0, 0x41, 0], .sent),
                frame(1, [0x03, 1, 8, 0, 0, 0, 0x41, 0, 1, 0, 2, 0], .received),
                frame(1, [0x03, 1, 8, 0, 0x52, 0, 0x41, 0, 0, 0, 0, 0], .received),
                frame(0x52, [0x0A, 3, 0], .sent), frame(0x41, [0x0B, 85], .received),
            ]))
        #expect(records.compactMap(\.error) == [])
        #expect(records[4].layers == ["hci", "acl", "l2cap", "att"])
        #expect(records[4].att == .init(opcode: 0x0A, handles: [3]))
        #expect(records[5].att == .init(opcode: 0x0B, handles: [3]))
        #expect(records[5].devices.map(\.text) == ["06:05:04:03:02:01"])
    }
}
