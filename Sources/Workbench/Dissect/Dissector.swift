import BluetoothHCI
import BluetoothHost
import BluetoothModel
import BluetoothTransport

/// Decodes the packets of a capture in order. It tracks links, reassembles frames, learns the names of attributes from
/// discoveries and matches responses with their requests.
package struct Dissector {
    /// A link on one of the adapters of a capture.
    struct LinkKey: Hashable {
        var adapter: UInt16
        var handle: UInt16
    }

    /// The owner of a database: a device, the captured host, or a peer without a known address.
    enum Server: Hashable {
        case peer(BluetoothAddress)
        case host(UInt16)
        case unknown(Int)
    }

    var links: [LinkKey: DissectedLink] = [:]
    var linkCount = 0
    var databases: [Server: AttributeNames] = [:]
    /// The times of the commands, by adapter and opcode.
    var commands: [LinkKey: Int64] = [:]
    /// The links of the air, by access address.
    var airLinks: [UInt32: AirLink] = [:]
    /// The long term keys that may decrypt packets of the air, least significant octet first.
    let airKeys: [[UInt8]]
    /// The advertised names of devices.
    package internal(set) var names: [BluetoothAddress: String] = [:]
    private var lastTime: Int64?
    /// The concealment of the commands and events of each adapter.
    private var concealments: [UInt16: PacketConcealment] = [:]
    /// The extended advertisements of each adapter that arrive in several reports.
    var assemblers: [UInt16: ExtendedReportAssembler] = [:]
    /// True to add the packets of the attribute protocol and the advertisements to the dissections.
    package var keepsPackets = false

    /// The maximum number of devices, of links and of servers, which bounds the memory for a hostile capture.
    static let capacity = 65_536

    /// Creates a dissector for the beginning of a capture. Each key has 16 octets, the least significant one first.
    package init(airKeys: [[UInt8]] = []) { self.airKeys = airKeys }

    /// Decodes the next record.
    package mutating func dissect(_ record: CaptureRecord) -> Dissection {
        var result = Dissection(record, after: lastTime)
        lastTime = record.time ?? lastTime
        switch record.content {
        case .packet(let bytes): concealed(bytes, record).withByteView { packet($0, record, &result) }
        case .monitor(let opcode, let data):
            result.layers = ["monitor"]
            result.summary = MonitorText.line(opcode, data)
        case .air(let packet): air(packet, record, &result)
        case .other(let text): result.summary = text
        }
        if record.missingCount > 0 { result.summary += " (\(record.missingCount) octets were not captured)" }
        return result
    }

    /// Returns the packet without keys, except for data, whose keys are known after it was reassembled. Packets that
    /// are kept are not shown.
    private mutating func concealed(_ bytes: [UInt8], _ record: CaptureRecord) -> [UInt8] {
        guard !keepsPackets, bytes.first != HCIPacketType.acl.rawValue else { return bytes }
        return bytes.withByteView { concealments[record.adapter, default: .init()].conceal($0, nil) } ?? bytes
    }

    private mutating func packet(_ packet: ByteView, _ record: CaptureRecord, _ result: inout Dissection) {
        result.layers = ["hci"]
        guard !packet.isEmpty else {
            if record.missingCount == 0 { result.fail("an empty packet") }
            return result.summary = "nothing"
        }
        guard let type = HCIPacketType(rawValue: packet[0]) else {
            result.summary = "not an HCI packet: \(PacketLayout.concealed(packet.count))"
            return result.fail("\(H4FramingError(type: packet[0]))")
        }
        result.layers.append(Self.layer(of: type))
        // The type is known, so nothing is thrown.
        let length = (try? H4.packetLength(of: packet)) ?? nil
        guard let length else {
            result.summary = "\(Self.layer(of: type)) packet"
            if record.missingCount == 0 { result.fail("truncated inside the header") }
            return
        }
        var isCut = packet.count < length
        if isCut, record.missingCount == 0 {
            result.fail("the packet has \(packet.count) octets, but its length field is \(length)")
        } else if packet.count > length {
            result.fail("the packet has \(packet.count) octets, but its length field is \(length)")
        }
        if record.missingCount > 0 { isCut = true }
        let whole = packet.prefix(length)
        switch type {
        case .command: command(whole, record, isCut: isCut, &result)
        case .event: event(whole, record, isCut: isCut, &result)
        case .acl: data(whole, record, isCut: isCut, &result)
        case .synchronous, .iso:
            let handle = whole.uint16(at: 1) & 0x0FFF
            result.connection = handle
            result.summary = "\(whole.count - type.headerLength) octets of \(Self.layer(of: type)) data"
        }
    }

    static func layer(of type: HCIPacketType) -> String {
        switch type {
        case .command: "command"
        case .event: "event"
        case .acl: "acl"
        case .synchronous: "sco"
        case .iso: "iso"
        }
    }

    /// Returns the first 64 bytes in hexadecimal, and the length if there are more. The bytes may be shown.
    static func hex(_ bytes: ByteView) -> String {
        bytes.count <= 64
            ? bytes.unsafeBytes.hexText(separator: " ")
            : bytes.prefix(64).unsafeBytes.hexText(separator: " ") + " … \(bytes.count) octets"
    }

    /// Returns the link with this handle. Adds it if it began before the capture.
    mutating func link(_ key: LinkKey, _ result: inout Dissection) -> DissectedLink {
        if let link = links[key] { return link }
        return begin(DissectedLink(index: linkCount, key: key, time: result.time), &result)
    }

    mutating func begin(_ link: DissectedLink, _ result: inout Dissection) -> DissectedLink {
        if links.count >= Self.capacity { links = [:] }
        links[link.key] = link
        linkCount += 1
        result.notes.append(.link(link.index))
        return link
    }

    mutating func names(on link: DissectedLink, ofHost: Bool) -> AttributeNames {
        let server: Server =
            ofHost ? .host(link.key.adapter) : link.peer.map { .peer($0) } ?? .unknown(link.index)
        if let names = databases[server] { return names }
        if databases.count >= Self.capacity { databases = [:] }
        let names = AttributeNames()
        databases[server] = names
        return names
    }
}

/// Messages of the Bluetooth monitor of Linux that are no packets (BlueZ, `monitor/bt.h`).
enum MonitorText {
    private static let names = [
        "New Index", "Delete Index", "Command", "Event", "ACL sent", "ACL received", "SCO sent", "SCO received",
        "Open Index", "Close Index", "Index Information", "Vendor Diagnostic", "System Note", "User Logging",
        "Control Open", "Control Close", "Control Command", "Control Event", "ISO sent", "ISO received",
    ]

    static func line(_ opcode: UInt16, _ data: [UInt8]) -> String {
        guard Int(opcode) < names.count else { return "Monitor message \(opcode), \(data.count) octets" }
        let name = names[Int(opcode)]
        switch opcode {
        case 0 where data.count >= 8: return "\(name): \(address(data.dropFirst(2))) \(text(data.dropFirst(8)))"
        case 10 where data.count >= 8:
            let company = UInt16(data[6]) | UInt16(data[7]) << 8
            return "\(name): \(address(data[...])), \(CompanyIdentifier(rawValue: company))"
        case 12: return "\(name): \(text(data[...]))"
        // The priority, the length of the program's name, the name with a terminating zero, and the message.
        case 13 where data.count >= 2:
            let program = data.dropFirst(2).prefix(Int(data[1]))
            return "\(name): \(text(program)): \(text(data.dropFirst(2 + Int(data[1]))))"
        default: return "\(name), \(data.count) octets"
        }
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> String {
        Array(bytes.prefix(6)).withByteView { BluetoothAddress(littleEndian: $0, kind: .public)?.text ?? "?" }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        PrintableText.escape(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    }
}
