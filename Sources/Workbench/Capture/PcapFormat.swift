/// The pcap format of libpcap, in either byte order, with microseconds or nanoseconds.
struct PcapFormat: CaptureFormat {
    private let order: ByteOrder
    /// The unit of the fraction of a second, in nanoseconds.
    private let unit: Int64
    private let link: LinkType

    /// Returns the byte order of a file with these first bytes; nil if it is no pcap file.
    static func order(of magic: [UInt8]) -> ByteOrder? {
        guard magic.count >= 4 else { return nil }
        return [ByteOrder.little, .big].first { [0xA1B2_C3D4, 0xA1B2_3C4D].contains($0.uint32(magic, 0)) }
    }

    init(_ source: ByteSource, _ order: ByteOrder) throws(CaptureDamage) {
        self.order = order
        let header = try source.whole(24, of: "the header of the pcap format", from: 0)
        unit = order.uint32(header, 0) == 0xA1B2_3C4D ? 1 : 1000
        let version = order.uint16(header, 4)
        guard version == 2 else { throw CaptureDamage(at: 4, "pcap version \(version) is not supported, only 2") }
        // The upper bits describe the frame check sequence, which HCI packets do not have.
        link = LinkType(order.uint32(header, 20) & 0x0FFF_FFFF)
        if let problem = link.problem { throw CaptureDamage(at: 20, problem) }
    }

    mutating func next(_ source: ByteSource) throws(CaptureDamage) -> CaptureRecord? {
        let start = source.offset
        if source.peek(1).isEmpty { return nil }
        let header = try source.whole(16, of: "the header of a record", from: start)
        let seconds = Int64(order.uint32(header, 0)), fraction = Int64(order.uint32(header, 4))
        let included = Int(order.uint32(header, 8)), original = Int(order.uint32(header, 12))
        guard included <= CaptureFile.maximumLength else {
            throw CaptureDamage(at: start, "the record has a length of \(included) bytes, longer than any packet")
        }
        let data = try source.whole(included, of: "a record of \(included) bytes", from: start)
        var record = CaptureRecord(
            number: 0, time: seconds * 1_000_000_000 + fraction * unit, content: .packet([]),
            missingCount: max(0, original - included))
        link.set(&record, data)
        return record
    }
}
