import BluetoothModel
import Explorer
import Workbench

extension FuzzTarget {
    /// Capture files: the records of a readable part, their lines and their JSON.
    ///
    /// Invariants: the offset of a damage is inside the file; each record has one line without control characters.
    static let dissect = FuzzTarget(
        "dissect", "capture files", maximumLength: 768,
        seeds: {
            let packets = DissectSeeds.packets
            return [
                DissectSeeds.snoop(packets), DissectSeeds.snoop(packets, dataLink: 2001), DissectSeeds.pcap(packets),
            ]
                + packets.map { DissectSeeds.snoop([$0]) }
        },
        run: { (view) throws(Finding) in
            let (records, damage) = read(view.array)
            if let damage {
                try require((0...view.count).contains(damage.offset), "\(damage) in \(view.count) bytes")
            }
            var dissector = Dissector()
            var summary = CaptureSummary()
            for (index, record) in records.enumerated() {
                try require(record.number == index + 1, "record \(index + 1) has the number \(record.number)")
                let result = dissector.dissect(record)
                summary.add(result)
                let line = result.line(since: records.first?.time)
                let isText = !line.isEmpty && line.unicodeScalars.allSatisfy { $0.value >= 0x20 }
                try require(isText, "line \(index + 1): \(line)")
                try require(result.json.text.first == "{", result.json.text)
            }
            try require(summary.json.text.first == "{", summary.json.text)
        })

    /// The records of a file, and the damage that ends it.
    static func read(_ bytes: [UInt8]) -> ([CaptureRecord], CaptureDamage?) {
        var records: [CaptureRecord] = []
        do throws(CaptureDamage) {
            var file = try CaptureFile(ByteSource(bytes: bytes))
            while let record = try file.next() { records.append(record) }
        } catch {
            return (records, error)
        }
        return (records, nil)
    }
}

/// Files of packets of a link.
enum DissectSeeds {
    /// A connection, a discovery, a read, a pairing and the end of the link.
    static let packets: [[UInt8]] = [
        [4, 0x3E, 19, 0x01, 0, 0x40, 0, 0, 1, 1, 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 0xF4, 1, 0],
        frame(4, [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]), frame(4, [0x11, 6, 1, 0, 9, 0, 0x0F, 0x18]),
        frame(4, [0x08, 1, 0, 9, 0, 3, 0x28]), frame(4, [0x09, 7, 2, 0, 0x12, 3, 0, 0x19, 0x2A]),
        frame(4, [0x0A, 3, 0]), frame(4, [0x0B, 85]), frame(4, [0x01, 0x0A, 3, 0, 0x05]),
        frame(6, [1, 4, 0, 1, 16, 3, 3]), frame(5, [0x12, 1, 8, 0, 6, 0, 12, 0, 0, 0, 100, 0]),
        [1, 0x0C, 0x20, 2, 1, 0], [4, 0x0E, 4, 1, 0x0C, 0x20, 0], [4, 0x05, 4, 0, 0x40, 0, 0x08],
    ]

    static func frame(_ channel: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [2, 0x40, 0x20, UInt8(bytes.count + 4), 0, UInt8(bytes.count), 0, channel, 0] + bytes
    }

    private static func big(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    static func snoop(_ packets: [[UInt8]], dataLink: Int = 1002) -> [UInt8] {
        packets.enumerated().reduce(Array("btsnoop\0".utf8) + big(1, 4) + big(dataLink, 4)) { file, packet in
            let count = big(packet.element.count, 4)
            return file + count + count + big(dataLink == 2001 ? 4 : packet.offset % 2, 4) + big(0, 4)
                + big(0x00E2_0000_0000_0000 + packet.offset * 1000, 8) + packet.element
        }
    }

    static func pcap(_ packets: [[UInt8]]) -> [UInt8] {
        packets.enumerated().reduce([0xA1, 0xB2, 0xC3, 0xD4, 0, 2, 0, 4] + big(0, 8) + big(65535, 4) + big(187, 4)) {
            file, packet in
            let count = big(packet.element.count, 4)
            return file + big(1000, 4) + big(packet.offset, 4) + count + count + packet.element
        }
    }
}
