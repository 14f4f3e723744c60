import BluetoothHCI
import BluetoothModel

/// The format of Apple's PacketLogger (`.pklg`): records without a header of the file, in either byte order.
struct PacketLoggerFormat: CaptureFormat {
    private let order: ByteOrder

    /// The length, the seconds, the microseconds and the type of a record.
    static let headerLength = 13
    /// The number of bytes that the length counts in addition to the packet.
    private static let countedHeader = 9

    private static let packets: [UInt8: (HCIPacketType, CaptureRecord.Direction)] = [
        0x00: (.command, .sent), 0x01: (.event, .received), 0x02: (.acl, .sent), 0x03: (.acl, .received),
        0x08: (.synchronous, .sent), 0x09: (.synchronous, .received),
    ]
    private static let others: [UInt8: String] = [
        0x0A: "LMP packet sent", 0x0B: "LMP packet received", 0xF7: "System log", 0xF8: "Kernel", 0xF9: "Kernel debug",
        0xFA: "Error", 0xFB: "Power", 0xFC: "Note", 0xFD: "Configuration", 0xFE: "New controller",
    ]

    /// Returns nil if a file with these first bytes has another format.
    init?(_ start: [UInt8]) {
        let order = [ByteOrder.little, .big].first { order in
            guard start.count == Self.headerLength else { return false }
            let length = order.uint32(start, 0),
                isKnown = Self.packets[start[12]] != nil || Self.others[start[12]] != nil
            return length >= Self.countedHeader && length < 65_536 && order.uint32(start, 8) < 1_000_000 && isKnown
        }
        guard let order else { return nil }
        self.order = order
    }

    mutating func next(_ source: ByteSource) throws(CaptureDamage) -> CaptureRecord? {
        let start = source.offset
        if source.peek(1).isEmpty { return nil }
        let header = try source.whole(Self.headerLength, of: "the header of a record", from: start)
        let length = Int(order.uint32(header, 0)), type = header[12]
        guard length >= Self.countedHeader, length < CaptureFile.maximumLength else {
            throw CaptureDamage(at: start, "the record has the invalid length \(length)")
        }
        let data = try source.whole(length - Self.countedHeader, of: "a record of \(length) bytes", from: start)
        let time = Int64(order.uint32(header, 4)) * 1_000_000_000 + Int64(order.uint32(header, 8)) * 1000
        var record = CaptureRecord(number: 0, time: time, content: .packet([]))
        if let (type, direction) = Self.packets[type] {
            (record.content, record.direction) = (.packet([type.rawValue] + data), direction)
        } else {
            let name = Self.others[type] ?? "Record of type 0x\([type].hexText())"
            record.content = .other("\(name), \(data.count.counted("octet"))")
        }
        return record
    }
}
