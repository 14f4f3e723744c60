import BluetoothHCI

/// The btsnoop format of Symbian, Android, BlueZ and this project's captures. All numbers are big-endian.
struct BtsnoopFormat: CaptureFormat {
    static let magic = Array("btsnoop".utf8) + [0]
    /// Microseconds from the start of the year 0, the epoch of the format, to 1970.
    private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    /// The encapsulation of the records.
    private enum DataLink: UInt32 {
        /// Packets without a type byte; the flags contain the type.
        case unencapsulated = 1001
        case h4 = 1002
        /// The Bluetooth monitor of Linux: the flags are the adapter and an opcode.
        case monitor = 2001
    }

    private let dataLink: DataLink

    init(_ source: ByteSource) throws(CaptureDamage) {
        let header = try source.whole(16, of: "the header of the btsnoop format", from: 0)
        let version = ByteOrder.big.uint32(header, 8)
        guard version == 1 else { throw CaptureDamage(at: 8, "btsnoop version \(version) is not supported, only 1") }
        let number = ByteOrder.big.uint32(header, 12)
        guard let dataLink = DataLink(rawValue: number) else {
            throw CaptureDamage(
                at: 12,
                "btsnoop datalink \(number) is not supported, only 1001 (HCI), 1002 (H4) and 2001 (Linux monitor)")
        }
        self.dataLink = dataLink
    }

    mutating func next(_ source: ByteSource) throws(CaptureDamage) -> CaptureRecord? {
        let start = source.offset
        if source.peek(1).isEmpty { return nil }
        let header = try source.whole(24, of: "the header of a record", from: start)
        let original = Int(ByteOrder.big.uint32(header, 0)), included = Int(ByteOrder.big.uint32(header, 4))
        let flags = ByteOrder.big.uint32(header, 8)
        guard included <= CaptureFile.maximumLength else {
            throw CaptureDamage(at: start, "the record has a length of \(included) bytes, longer than any packet")
        }
        guard included <= original else {
            throw CaptureDamage(
                at: start, "the record has \(included) captured bytes of a packet of \(original)")
        }
        let data = try source.whole(included, of: "a record of \(included) bytes", from: start)
        let microseconds = Int64(bitPattern: ByteOrder.big.uint64(header, 16)) &- Self.epoch
        let nanoseconds = microseconds.multipliedReportingOverflow(by: 1000)
        var record = CaptureRecord(
            number: 0, time: nanoseconds.overflow ? nil : nanoseconds.partialValue, content: .packet([]),
            missingCount: original - included)
        switch dataLink {
        case .h4: record.setH4(data, flags & 1 == 0 ? .sent : .received)
        case .unencapsulated:
            record.direction = flags & 1 == 0 ? .sent : .received
            let type: HCIPacketType = flags & 2 == 0 ? .acl : flags & 1 == 0 ? .command : .event
            record.content = .packet([type.rawValue] + data)
        case .monitor: record.setMonitor(UInt16(truncatingIfNeeded: flags), adapter: UInt16(flags >> 16), data)
        }
        return record
    }
}

extension CaptureRecord {
    /// Sets a packet with its type byte. The direction in the file is ignored for commands, which are sent, and events,
    /// which are received.
    mutating func setH4(_ data: [UInt8], _ direction: Direction?) {
        content = .packet(data)
        switch data.first.flatMap(HCIPacketType.init(rawValue:)) {
        case .command: self.direction = .sent
        case .event: self.direction = .received
        default: self.direction = direction
        }
    }

    /// Sets a message of the Bluetooth monitor of Linux (`mgmt-api` of BlueZ: `struct mgmt_hdr`).
    mutating func setMonitor(_ opcode: UInt16, adapter: UInt16, _ data: [UInt8]) {
        self.adapter = adapter
        let kinds: [UInt16: (HCIPacketType, Direction)] = [
            2: (.command, .sent), 3: (.event, .received), 4: (.acl, .sent), 5: (.acl, .received),
            6: (.synchronous, .sent), 7: (.synchronous, .received), 18: (.iso, .sent), 19: (.iso, .received),
        ]
        if let (type, direction) = kinds[opcode] {
            content = .packet([type.rawValue] + data)
            self.direction = direction
        } else {
            content = .monitor(opcode, data)
        }
    }
}
