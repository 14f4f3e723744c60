import BluetoothHCI
import BluetoothModel
import BluetoothTransport
import TestSupport
import Testing

@testable import Workbench

@Suite("The dissector and captures show no keys")
struct ConcealmentTests {
    static let key = [UInt8](0xA1...0xB0)
    /// A passkey, 0x00D4C3: its octets and its number.
    static let passkey: [UInt8] = [0xC3, 0xD4, 0x00, 0x00]
    static let address: [UInt8] = [0x56, 0x34, 0x12, 0xC0, 0xEE, 0xDD]

    static func command(_ opcode: UInt16, _ parameters: [UInt8]) -> CaptureBytes.Packet {
        ([1] + CaptureBytes.little(opcode) + [UInt8(parameters.count)] + parameters, .sent)
    }

    static func event(_ code: UInt8, _ parameters: [UInt8]) -> CaptureBytes.Packet {
        ([4, code, UInt8(parameters.count)] + parameters, .received)
    }

    static func completed(_ opcode: UInt16, _ parameters: [UInt8]) -> CaptureBytes.Packet {
        event(0x0E, [1] + CaptureBytes.little(opcode) + [0] + parameters)
    }

    static func advertised(_ type: UInt8) -> [CaptureBytes.Packet] {
        let data: [UInt8] = [2, 1, 6, 17, type] + key + [3, 9, 0x41, 0x42]
        let length = UInt8(data.count)
        return [
            command(0x2008, [length] + data + [UInt8](repeating: 0, count: 31 - data.count)),
            command(0x2037, [1, 3, 0, length] + data), command(0x203F, [1, 3, length] + data),
            command(0x2082, [1, 1, 0, 0, 1, length] + data), command(0x2083, [1, 0, 0, 0, 0, 0, 0, length] + data),
            command(0x0C52, [0] + data), completed(0x0C51, [0] + data),
            event(0x3E, [0x02, 1, 0, 0] + address + [length] + data + [0xC0]),
            event(
                0x3E,
                [0x0D, 1, 0, 0, 0] + address + [1, 0, 1, 0x7F, 0xC0, 0, 0] + [0, 0, 0, 0, 0, 0, 0] + [length] + data),
            event(0x3E, [0x0F, 1, 0, 0x7F, 0xC0, 0xFF, 0, length] + data),
            event(0x3E, [0x25, 1, 0, 0x7F, 0xC0, 0xFF, 1, 0, 0, 0, length] + data),
            event(0x3E, [0x28, 1, 0, 0, 1, 0x7F, 0xC0, 0xFF, 0, 0, length] + data),
            event(0x2F, [1] + address + [1, 0, 1, 2, 3, 4, 5, 0xC0] + data),
        ]
    }

    /// A discovery of a characteristic at 0x0003, and packets with its value.
    static func values(_ uuid: [UInt8]) -> [[CaptureBytes.Packet]] {
        let discovery = [
            LinkPackets.connected, LinkPackets.request([0x08, 1, 0, 9, 0, 0x03, 0x28]),
            LinkPackets.answer([0x09, 7, 2, 0, 0x3A, 3, 0] + uuid),
        ]
        let exchanges: [[CaptureBytes.Packet]] = [
            [LinkPackets.request([0x0A, 3, 0]), LinkPackets.answer([0x0B] + key)],
            [LinkPackets.request([0x0C, 3, 0, 4, 0]), LinkPackets.answer([0x0D] + key)],
            [LinkPackets.request([0x0E, 3, 0, 4, 0]), LinkPackets.answer([0x0F] + key)],
            [LinkPackets.request([0x12, 3, 0] + key)], [LinkPackets.request([0x52, 3, 0] + key)],
            [LinkPackets.request([0x16, 3, 0, 0, 0] + key), LinkPackets.answer([0x17, 3, 0, 0, 0] + key)],
            [LinkPackets.answer([0x1B, 3, 0] + key)], [LinkPackets.answer([0x1D, 3, 0] + key)],
            [LinkPackets.answer([0x23, 3, 0, 16, 0] + key)],
            // Over an enhanced bearer that was opened before the capture began.
            [LinkPackets.frame(0x41, [19, 0, 0x12, 3, 0] + key, .sent)],
            [
                LinkPackets.frame(0x41, [3, 0, 0x0A, 3, 0], .sent),
                LinkPackets.frame(0x41, [17, 0, 0x0B] + key, .received),
            ],
            [
                LinkPackets.request([0x08, 1, 0, 9, 0] + uuid), LinkPackets.answer([0x09, 18, 3, 0] + key),
            ],
            [LinkPackets.request([0x06, 1, 0, 9, 0] + uuid + key)],
        ]
        return exchanges.map { discovery + $0 }
    }

    static let captures: [[CaptureBytes.Packet]] =
        [
            command(0x040B, address + key), command(0x040D, address + [16] + key), command(0x042E, address + passkey),
            command(0x0430, address + key + key), command(0x0435, [1, 16, 3] + key), command(0x0436, [1, 16, 3] + key),
            command(0x0445, address + key + key + key + key), command(0x0C11, [1] + address + key),
            command(0x2017, key + key), command(0x2019, [0x40, 0] + key.prefix(8) + [1, 2] + key),
            command(0x201A, [0x40, 0] + key), command(0x2027, [0] + address + key + key),
            command(0x2068, [0, 1, 1, 0x10, 0x27, 0, 0x28, 0, 10, 0, 4, 2, 0, 0, 1] + key),
            command(0x2069, [0, 1, 1, 0x10, 0x27, 0, 10, 0, 1, 40, 0, 40, 0, 2, 0, 0, 1, 1, 0, 1] + key),
            command(0x206B, [0, 1, 0, 1] + key + [0, 10, 0, 1, 1]), command(0xFC01, key), command(0x03FF, key),
            completed(0x0C57, key + key), completed(0x0C7D, key + key + key + key), completed(0x2017, key),
            completed(0x2018, Array(key.prefix(8))), completed(0xFC01, key), completed(0x2027, key),
            event(0x15, [1] + address + key), event(0x18, address + key + [5]), event(0x19, [0x0B, 4] + address + key),
            event(0x33, address + passkey), event(0x3B, address + passkey), event(0xFF, key), event(0xA0, key),
            event(0x3E, [0x05, 0x40, 0] + key.prefix(8) + [1, 2]), event(0x3E, [0x09, 0] + key + key),
            event(0x3E, [0xF0] + key), ([9] + key, .sent),
            LinkPackets.frame(8, key, .sent), LinkPackets.frame(5, [0x7F, 1, 16, 0] + key, .sent),
            LinkPackets.request([0x77] + key), LinkPackets.answer([0x13] + key), LinkPackets.answer([0x03] + key),
        ].map { [$0] }
        + [0x03, 0x04, 0x06, 0x08, 0x0A, 0x0D, 0x0F].flatMap { (code: UInt8) in
            [6, 7].map { (channel: UInt16) in [LinkPackets.frame(channel, [code] + key, .received)] }
        }
        + [[LinkPackets.frame(6, [0x07, 1, 2] + key.prefix(8), .received)]]
        + [0x0E, 0x0F, 0x10, 0x1D, 0x1E, 0x22, 0x23, 0x2D, 0x77].flatMap { advertised($0).map { [$0] } }
        + [[0x84, 0x2B], [0x88, 0x2B], [0xF7, 0x2B]].flatMap { values($0) }

    @Test("No octet of a key is in the text, in JSON or in a capture", arguments: captures.indices)
    func keys(index: Int) {
        let packets = Self.captures[index]
        let records = CaptureBytes.dissect(CaptureBytes.snoop(packets))
        let texts = records.flatMap { ["\($0.line(since: nil))", "\($0.json)"] }
        for text in texts {
            for digits in ["A1A2", "A1 A2", "A3A4", "A2A1", "A5 A6", "AFB0", "AF B0", "C3D4", "C3 D4", "D4C3", "54467"]
            {
                #expect(!text.uppercased().contains(digits), "\(packets.last?.bytes.hexText() ?? ""): \(text)")
            }
        }
        // The exception: the extra octets of a response without parameters are counted.
        let last = packets.last?.bytes ?? []
        let isNamed = last[0] == 2 && last[7] == 4 && [0x13, 0x03].contains(last[9])
        #expect(isNamed || texts.contains { $0.contains("concealed") }, "\(texts)")

        var concealment = PacketConcealment()
        for packet in packets {
            let direction: BtsnoopWriter.Direction = packet.direction == .sent ? .sent : .received
            let written = packet.bytes.withByteView { concealment.conceal($0, direction) } ?? packet.bytes
            #expect(written.count == packet.bytes.count)
            // An MTU and the extra octets of a response are no key, and are written.
            if isNamed { continue }
            for pair in [[0xA1, 0xA2], [0xA7, 0xA8], [0xC3, 0xD4]] as [[UInt8]] {
                #expect(!written.indices.contains { written[$0...].starts(with: pair) }, "\(written.hexText())")
            }
        }
    }

    @Test("The text of a packet is that of its concealed form, for every opcode and event", .blocksThread)
    func everyOpcode() {
        let octets = (0..<60).map { UInt8(truncatingIfNeeded: 0x31 &+ 7 * $0) }
        func check(_ packet: CaptureBytes.Packet, isKnown: Bool) {
            var concealment = PacketConcealment()
            let written = packet.bytes.withByteView { concealment.conceal($0, nil) } ?? packet.bytes
            func dissect(_ bytes: [UInt8]) -> Dissection {
                var dissector = Dissector()
                return dissector.dissect(CaptureRecord(number: 1, direction: packet.direction, content: .packet(bytes)))
            }
            let shown = dissect(packet.bytes)
            guard !isKnown else {
                #expect(shown == dissect(written), "\(packet.bytes.prefix(8).hexText())")
                return
            }
            #expect(shown.summary.contains("octets concealed)"), "\(shown.summary)")
            #expect(written.suffix(octets.count).allSatisfy { $0 == 0 })
        }
        for opcode in UInt16.min ... .max {
            check(Self.command(opcode, octets), isKnown: PacketLayouts.commands[opcode] != nil)
            guard opcode != 0 else { continue }
            check(Self.completed(opcode, octets), isKnown: PacketLayouts.returns[opcode] != nil)
        }
        for code in UInt8.min ... .max {
            let isKnown = PacketLayouts.events[UInt16(code)] != nil || [0x0E, 0x3E].contains(code)
            check(Self.event(code, octets), isKnown: isKnown)
            check(Self.event(0x3E, [code] + octets), isKnown: PacketLayouts.lowEnergyEvents[UInt16(code)] != nil)
        }
    }

    @Test("Names of commands and events of the specification")
    func names() {
        #expect(HCIOpcode(rawValue: 0x040B).description == "Link Key Request Reply")
        #expect(HCIOpcode(rawValue: 0x0C51).description == "Read Extended Inquiry Response")
        #expect(HCIOpcode(rawValue: 0x0401).description == "Inquiry")
        #expect(HCIEventCode(rawValue: 0x18).description == "Link Key Notification")
        #expect(LEEventCode(rawValue: 0x19).description == "LE CIS Established")
        let records = CaptureBytes.dissect(
            CaptureBytes.snoop([
                Self.command(0x040B, Self.address + Self.key), Self.command(0x0401, [0x33, 0x8B, 0x9E, 8, 0]),
                Self.command(0x0402, []),
            ]))
        #expect(
            records.map(\.summary) == [
                "Link Key Request Reply: address DD:EE:C0:12:34:56, key (16 octets concealed)",
                "Inquiry: 33 8B 9E 08 00", "Inquiry Cancel",
            ])
    }
}
