import Testing

@testable import Workbench

@Suite("Capture files")
struct CaptureFileTests {
    static let packets: [CaptureBytes.Packet] = [
        ([1, 0x03, 0x0C, 0], .sent), ([4, 0x0E, 4, 1, 0x03, 0x0C, 0], .received), LinkPackets.connected,
        LinkPackets.request([0x0A, 3, 0]), LinkPackets.answer([0x0B, 1, 2, 3]),
    ]

    static let files: [(name: String, bytes: [UInt8])] =
        [
            ("btsnoop 1001", CaptureBytes.bareSnoop(packets)), ("btsnoop 1002", CaptureBytes.snoop(packets)),
            ("btsnoop 2001", CaptureBytes.monitorSnoop(packets)),
            ("pcap with nanoseconds", CaptureBytes.pcap(packets, link: 201, nanoseconds: true)),
        ]
        + [187, 201, 254].flatMap { link in
            [false, true].flatMap { isBig in
                [
                    ("pcap \(link) \(isBig)", CaptureBytes.pcap(packets, link: link, isBig: isBig)),
                    ("pcapng \(link) \(isBig)", CaptureBytes.pcapng(packets, link: link, isBig: isBig)),
                ]
            }
        }

    @Test("Every format gives the same packets, directions and times", arguments: files)
    func formats(_ file: (name: String, bytes: [UInt8])) {
        let (records, damage) = CaptureBytes.read(file.bytes)
        #expect(damage == nil)
        #expect(records.map(\.number) == [1, 2, 3, 4, 5])
        for (index, record) in records.enumerated() {
            #expect(record.content == .packet(Self.packets[index].bytes), "\(file.name)")
            #expect(record.time == (CaptureBytes.start + Int64(index) * 1000) * 1000)
        }
        var dissector = Dissector()
        #expect(records.map { dissector.dissect($0).direction } == Self.packets.map(\.direction), "\(file.name)")
    }

    @Test("A truncated file gives its complete records, and the offset of the rest", arguments: files)
    func cutOff(_ file: (name: String, bytes: [UInt8])) {
        var counts: Set<Int> = []
        for length in 0..<file.bytes.count {
            let (records, damage) = CaptureBytes.read(Array(file.bytes.prefix(length)))
            counts.insert(records.count)
            if let damage {
                #expect(damage.offset <= length)
            } else {
                // Exactly at the end of a record, or of the header.
                let more = CaptureBytes.read(Array(file.bytes.prefix(length + 1)))
                #expect(more.damage?.offset == length, "\(file.name) \(length)")
            }
        }
        #expect(counts == [0, 1, 2, 3, 4], "\(file.name)")
    }

    @Test("A file that is not a capture is an error")
    func nothing() {
        #expect(CaptureBytes.read([]).damage == CaptureDamage(at: 0, "the file is empty"))
        #expect(CaptureBytes.read(Array("device: 1\n".utf8)).damage?.reason.contains("not a capture") == true)
        #expect(CaptureBytes.read(CaptureBytes.snoopHeader(1)).damage?.offset == 12)
        let foreign = CaptureBytes.read(CaptureBytes.pcap([], link: 1)).damage
        #expect(foreign?.offset == 20 && foreign?.reason.contains("link type 1 ") == true)
        #expect(CaptureBytes.read(CaptureBytes.snoopHeader()).damage == nil)
    }

    @Test("A record longer than any packet is damage at its offset")
    func hostileLengths() {
        let good = CaptureBytes.snoop([Self.packets[0]])
        for (included, original) in [(UInt32.max, UInt32.max), (300_000, 300_000), (10, 4)] {
            let record = CaptureBytes.big(original) + CaptureBytes.big(included) + [UInt8](repeating: 0, count: 400_000)
            let (records, damage) = CaptureBytes.read(good + record)
            #expect(records.count == 1 && damage?.offset == good.count)
        }
        let section = CaptureBytes.sectionHeader()
        for length in [UInt32(0), 8, 11, 13, .max, 1 << 25] {
            let block = CaptureBytes.little(UInt32(1)) + CaptureBytes.little(length) + [UInt8](repeating: 0, count: 64)
            #expect(CaptureBytes.read(section + block).damage?.offset == section.count, "\(length)")
        }
        // A packet of an interface that was not described, and one whose length exceeds its block.
        #expect(CaptureBytes.read(section + CaptureBytes.block(6, [UInt8](repeating: 0, count: 20))).damage != nil)
        let interface = CaptureBytes.block(1, [187, 0, 0, 0, 0, 0, 0, 0])
        let long = [UInt8](repeating: 0, count: 12) + CaptureBytes.little(UInt32(99)) + CaptureBytes.little(UInt32(99))
        #expect(
            CaptureBytes.read(section + interface + CaptureBytes.block(6, long)).damage?.offset == section.count
                + interface.count)
    }

    @Test("Android's truncated records are decoded as far as captured")
    func truncatedRecords() {
        let write = LinkPackets.request([0x12, 3, 0] + [UInt8](repeating: 7, count: 40)).bytes
        let file =
            CaptureBytes.snoopHeader()
            + CaptureBytes.snoopRecord(Array(write.prefix(14)), flags: 0, original: write.count)
            + CaptureBytes.snoopRecord(LinkPackets.request([0x0A, 3, 0]).bytes, flags: 0)
        let records = CaptureBytes.dissect(file)
        #expect(records.count == 2)
        #expect(records[0].att == .init(opcode: 0x12, handles: [3]))
        #expect(records[0].error == nil && records[0].summary.contains("38 octets were not captured"))
        #expect(records[1].att == .init(opcode: 0x0A, handles: [3]))
        // Of every length, down to nothing.
        for length in 0...write.count {
            let short = CaptureBytes.dissect(
                CaptureBytes.snoopHeader()
                    + CaptureBytes.snoopRecord(Array(write.prefix(length)), flags: 0, original: write.count))
            #expect(short.count == 1 && short[0].error == nil, "\(length)")
        }
    }

    @Test("Timestamps of pcapng in powers of ten and two, and out of range")
    func clocks() {
        func clock(_ resolution: UInt8, offset: Int64 = 0) -> PcapngClock {
            PcapngClock([(9, [resolution]), (14, CaptureBytes.little(offset))], .little)
        }
        #expect(clock(6).nanoseconds(5) == 5000)
        #expect(clock(0, offset: 2).nanoseconds(5) == 7_000_000_000)
        #expect(clock(12).nanoseconds(5000) == 5)
        #expect(clock(0x80 | 10).nanoseconds(1024) == 1_000_000_000)
        #expect(clock(0x80 | 64).nanoseconds(1 << 63) == 500_000_000)
        for resolution in UInt8.min...UInt8.max {
            for stamp in [0, 1, UInt64.max, 1 << 62] {
                for offset in [0, Int64.max, Int64.min, -1] { _ = clock(resolution, offset: offset).nanoseconds(stamp) }
            }
        }
    }
}
