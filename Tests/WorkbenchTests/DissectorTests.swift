import BluetoothHCI
import BluetoothModel
import Testing

@testable import Workbench

@Suite("The dissector")
struct DissectorTests {
    private func dissect(_ packets: [CaptureBytes.Packet]) -> [Dissection] {
        CaptureBytes.dissect(CaptureBytes.snoop(packets))
    }

    @Test("Every line of the layout tables is valid")
    func tables() {
        for text in PacketLayouts.allText {
            // A table omits malformed lines.
            let (known, lines) = (PacketLayouts.table(text), text.split(separator: "\n"))
            let wrong = lines.filter { line in UInt16(line.prefix { $0 != " " }, radix: 16).flatMap { known[$0] } == nil
            }
            #expect(wrong.isEmpty && known.count == lines.count)
        }
    }

    @Test("A discovery in the capture names handles and types values")
    func names() {
        let records = dissect(
            [LinkPackets.connected] + LinkPackets.discovery + [
                LinkPackets.request([0x12, 4, 0, 1, 0]), LinkPackets.answer([0x13]),
                LinkPackets.answer([0x1B, 3, 0, 0x00, 72]), LinkPackets.disconnected(0x13),
            ])
        #expect(records.compactMap(\.error) == [])
        #expect(records[0].summary.contains("interval 30 ms"))
        #expect(records[2].att == .init(opcode: 0x11, handles: [1]))
        #expect(records[4].att == .init(opcode: 0x01, handles: [10]))
        #expect(records[6].att == .init(opcode: 0x09, handles: [2, 3]))
        #expect(records[9].summary.contains("Client Characteristic Configuration"))
        #expect(records[10].att == .init(opcode: 0x13, handles: [4]))
        #expect(records[11].summary.contains("Heart Rate Measurement: 72 bpm"), "\(records[11].summary)")
        #expect(records[11].connection == 0x40)
        #expect(records[11].layers == ["hci", "acl", "l2cap", "att"])
        #expect(records[12].summary.contains("the peer disconnected"))
        #expect(records[11].devices == [BluetoothAddress(value: 0xC000_0000_0001, kind: .random)])
    }

    @Test("An extended advertisement in several reports is reported with the last one, and is no error")
    func reports() {
        func report(_ status: UInt8, _ data: ArraySlice<UInt8>) -> CaptureBytes.Packet {
            let fields: [UInt8] = [0x3E, UInt8(26 + data.count), 0x0D, 1, status << 5, 0, 1, 1, 2, 3, 4, 5, 0xC6]
            let power: [UInt8] = [1, 0, 1, 0x7F, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)]
            return ([4] + fields + power + data, .received)
        }
        let data = [UInt8(1 + 11), 0x09] + Array("Two reports".utf8)
        let records = dissect([report(1, data.prefix(5)), report(0, data.dropFirst(5))])
        #expect(records.compactMap(\.error) == [])
        #expect(records[0].summary.hasSuffix("set 1 5 octets, continued in the next report"), "\(records[0].summary)")
        #expect(records[1].summary.hasSuffix("{Complete Local Name: Two reports}"), "\(records[1].summary)")
    }

    @Test("A fragmented frame is reported with its last fragment")
    func fragments() {
        let frame = LinkPackets.answer([0x1B, 3, 0] + Array(1...20)).bytes.dropFirst(5)
        let parts = [Array(frame.prefix(3)), Array(frame.dropFirst(3).prefix(10)), Array(frame.dropFirst(13))]
        let packets = parts.enumerated().map {
            LinkPackets.fragment($0.element, isFirst: $0.offset == 0, .received)
        }
        let records = dissect(packets)
        #expect(records.map { $0.att?.opcode } == [nil, nil, 0x1B])
        #expect(records.allSatisfy { $0.error == nil })
        // A capture that begins in the middle of a frame; a frame that never ends; one with too much.
        #expect(dissect(Array(packets.dropFirst()))[0].error == nil)
        #expect(dissect([packets[0], packets[1], packets[0]])[2].error?.contains("before the end") == true)
        let long = LinkPackets.fragment([1, 0, 4, 0, 1, 2, 3], isFirst: true, .received)
        #expect(dissect([long])[0].error != nil)
    }

    @Test(
        "Errors are marked",
        arguments: [
            ([LinkPackets.disconnected(0x08)], "connection timeout"),
            ([([4, 0x0E, 4, 1, 0x0A, 0x20, 0x0C], .received)], "command disallowed"),
            (
                [LinkPackets.request([0x0A, 3, 0]), LinkPackets.answer([0x01, 0x0A, 3, 0, 0x02])], "read not permitted"
            ),
            ([LinkPackets.request([0x0A, 3, 0]), LinkPackets.answer([0x13])], "the request was Read Request"),
            (
                [LinkPackets.request([0x0A, 3, 0]), LinkPackets.request([0x0A, 4, 0])], "a request before the response"
            ),
            ([LinkPackets.answer([0x0B, 1])], "a response without a request"),
            ([LinkPackets.answer([0x1E])], "a confirmation without"),
            ([LinkPackets.request([0x0A, 3])], "malformed"),
            ([LinkPackets.request([])], "without an opcode"),
            ([LinkPackets.request([0x77])], "unknown opcode"),
            ([LinkPackets.request([0x04, 1, 0, 9, 0]), LinkPackets.answer([0x05, 1, 4, 0])], "attribute types"),
            ([LinkPackets.request([0x04, 1, 0, 9, 0]), LinkPackets.answer([0x05, 1, 44, 0, 2, 0x29])], "#0x002C"),
            ([LinkPackets.frame(6, [0x05, 0x04], .received)], "confirm values"),
            ([LinkPackets.frame(6, [0x01, 0x04], .received)], "malformed"),
            ([LinkPackets.frame(5, [0x01, 1, 2, 0, 0, 0], .received)], "rejected"),
            ([LinkPackets.frame(5, [0x12, 1, 9, 0, 0], .received)], "9 octets"),
            ([([9, 1, 2], .sent)], "not an H4 packet type"),
            ([([1, 3], .sent)], "truncated"),
            ([([4, 0x3E, 3, 2, 1, 0], .received)], "inside report 1"),
            ([([2, 0x40, 0, 9, 0, 1], .sent)], "its length field is 14"),
        ] as [([CaptureBytes.Packet], String)])
    func errors(_ packets: [CaptureBytes.Packet], _ expected: String) {
        let records = dissect([LinkPackets.connected] + packets)
        #expect(records.last?.error?.contains(expected) == true, "\(records.last?.error ?? "no error")")
        #expect(records.dropLast().allSatisfy { $0.error == nil })
    }

    @Test("Keys and passkeys are not shown")
    func keys() {
        let key = [UInt8](repeating: 0xA5, count: 16)
        let records = dissect([
            ([1, 0x19, 0x20, 28, 0x40, 0] + [UInt8](repeating: 0, count: 10) + key, .sent),
            LinkPackets.frame(6, [0x06] + key, .received), LinkPackets.frame(6, [0x08] + key, .received),
            ([4, 0x3E, 34, 9, 0] + key + key, .received),
        ])
        #expect(records.allSatisfy { !$0.summary.contains("A5") && $0.error == nil }, "\(records.map(\.summary))")
    }

    @Test("Channels are tracked from their request")
    func channels() {
        let records = dissect([
            LinkPackets.connected, LinkPackets.frame(5, [0x14, 1, 10, 0, 0x81, 0, 0x40, 0, 64, 0, 64, 0, 5, 0], .sent),
            LinkPackets.frame(5, [0x15, 1, 10, 0, 0x50, 0, 64, 0, 64, 0, 5, 0, 0, 0], .received),
            LinkPackets.frame(0x50, [4, 0, 1, 2], .sent), LinkPackets.frame(0x50, [3, 4], .sent),
            LinkPackets.frame(0x40, [1, 0, 9, 9], .received),
        ])
        #expect(records[3].summary.contains("PSM 0x0081: 2 of 4"))
        #expect(records[4].summary.contains("01 02 03 04"))
        #expect(records[5].error?.contains("more octets") == true)
    }

    @Test("Filters and the summary")
    func summary() {
        let records = dissect(
            [LinkPackets.connected] + LinkPackets.discovery + [
                LinkPackets.request([0x0A, 9, 0]), LinkPackets.answer([0x01, 0x0A, 9, 0, 0x02]),
                LinkPackets.disconnected(0x08),
            ])
        func count(_ set: (inout DissectionFilter) -> Void) -> Int {
            var filter = DissectionFilter()
            set(&filter)
            return records.count { filter.matches($0, names: [:]) }
        }
        #expect(count { $0.hasError = true } == 2)
        #expect(count { $0.layer = "att" } == 10)
        #expect(count { $0.handle = 9 } == 2)
        #expect(count { $0.device = "c0:00:00" } == 12)
        #expect(count { $0.device = "C1" } == 0)
        var summary = CaptureSummary()
        records.forEach { summary.add($0) }
        #expect(summary.links.count == 1 && summary.errors == 2 && summary.records == 12)
        #expect(summary.links[0].end == .connectionTimeout)
        #expect(summary.links[0].procedures["Read Request"] == 1)
        #expect(summary.waits.count == 5 && summary.waits.allSatisfy { $0.nanoseconds == 1_000_000 })
        #expect(summary.lines(names: [:]).contains { $0.contains("connection timeout") })
    }

    @Test("Random bytes and mutated packets do not crash")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let packets =
            [LinkPackets.connected] + LinkPackets.discovery + CaptureFileTests.packets
            + [
                LinkPackets.frame(6, [1, 4, 0, 1, 16, 3, 3], .sent),
                LinkPackets.frame(5, [0x17, 1, 10, 0] + Array(1...10), .sent),
            ]
        for _ in 0..<300 {
            var dissector = Dissector()
            for _ in 0..<40 {
                var bytes = packets.randomElement(using: &generator)?.bytes ?? []
                for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count))) }
                if Int.random(in: 0..<4) == 0 {
                    bytes += (0..<Int.random(in: 0...300)).map { _ in UInt8.random(in: 0...255) }
                }
                let record = CaptureRecord(
                    number: 1, time: Bool.random() ? Int64.random(in: .min ... .max) : nil,
                    direction: [nil, .sent, .received].randomElement() ?? nil,
                    content: Int.random(in: 0..<8) == 0 ? .monitor(.random(in: 0...20), bytes) : .packet(bytes),
                    missingCount: Bool.random() ? 0 : 9)
                let result = dissector.dissect(record)
                #expect(!result.line(since: 0).isEmpty && !result.json.text.isEmpty)
            }
        }
        let file = CaptureFileTests.files.map(\.bytes)
        for bytes in file {
            for _ in 0..<200 {
                var bytes = bytes
                for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: 0...255) }
                _ = CaptureBytes.dissect(bytes)
            }
        }
    }
}
