/// The link layers of pcap and pcapng that hold packets of Bluetooth (tcpdump.org, "Link-layer header types").
enum LinkType: Hashable {
    /// H4 packets without a direction.
    case h4
    /// H4 packets after a direction of four bytes.
    case h4WithDirection
    /// The Bluetooth monitor of Linux: adapter and opcode of two bytes each.
    case monitor
    /// Packets on the air: alone, after a header of ten bytes, and after the headers of the nRF Sniffer.
    case air, airWithHeader, nordic
    /// A link layer without packets of Bluetooth.
    case foreign(UInt32)

    init(_ number: UInt32) {
        self =
            switch number {
            case 187: .h4
            case 201: .h4WithDirection
            case 254: .monitor
            case 251: .air
            case 256: .airWithHeader
            case 272: .nordic
            default: .foreign(number)
            }
    }

    /// Sets the content of a record of this link layer. `direction` is the direction outside of the data, if the file
    /// contains it.
    func set(_ record: inout CaptureRecord, _ data: [UInt8], direction: CaptureRecord.Direction? = nil) {
        switch self {
        case .h4: record.setH4(data, direction)
        case .h4WithDirection:
            guard data.count >= 4 else { return record.content = .other("truncated inside the direction") }
            record.setH4(Array(data.dropFirst(4)), ByteOrder.big.uint32(data, 0) == 0 ? .sent : .received)
        case .monitor:
            guard data.count >= 4 else { return record.content = .other("truncated inside the opcode") }
            record.setMonitor(
                ByteOrder.big.uint16(data, 2), adapter: ByteOrder.big.uint16(data, 0), Array(data.dropFirst(4)))
        case .air:
            record.direction = direction
            record.setAir(data)
        case .airWithHeader: record.setAirWithHeader(data)
        case .nordic: record.setNordic(data)
        case .foreign(let number): record.content = .other("link type \(number), which is not Bluetooth")
        }
    }

    /// A description of the problem if the link layer is not supported; nil if it is.
    var problem: String? {
        guard case .foreign(let number) = self else { return nil }
        return
            "link type \(number) is not supported, only 187 (H4), 201 (H4 with direction), 254 (Linux monitor), and 251, "
            + "256 and 272 (packets on the air)"
    }
}
