import BluetoothHCI
import BluetoothModel
import Explorer

/// The summary of a capture: its links and the reasons for disconnection, the number of procedures and octets of each
/// link, and the slowest responses.
package struct CaptureSummary: Sendable {
    struct Link: Sendable {
        var connection: UInt16?
        var devices: Set<BluetoothAddress>
        var began: Int64?
        var last: Int64?
        var end: HCIStatus?
        var mtu: Int?
        /// The number of procedures by name.
        var procedures: [String: Int] = [:]
        /// The number of octets of attribute values.
        var sent = 0, received = 0
        var errors = 0
    }

    /// The time between a request and its response.
    struct Wait: Sendable {
        var what: String
        var nanoseconds: Int64
        var number: Int
    }

    private(set) var records = 0
    private(set) var errors = 0
    private(set) var first: Int64?
    private(set) var last: Int64?
    private(set) var layers: [String: Int] = [:]
    private(set) var links: [Link] = []
    private(set) var waits: [Wait] = []
    private var indices: [UInt16: Int] = [:]

    private static let waitCount = 10
    private static let linkLimit = 65_536

    /// Creates a summary without records.
    package init() {}

    package mutating func add(_ record: Dissection) {
        records += 1
        if record.error != nil { errors += 1 }
        first = first ?? record.time
        last = record.time ?? last
        if let layer = record.layers.last { layers[layer, default: 0] += 1 }
        for note in record.notes { add(note, record) }
        guard let connection = record.connection, let index = indices[connection], links.indices.contains(index) else {
            return
        }
        links[index].last = record.time ?? links[index].last
        if record.error != nil { links[index].errors += 1 }
    }

    private mutating func add(_ note: Dissection.Note, _ record: Dissection) {
        switch note {
        case .link(let index):
            guard index == links.count, links.count < Self.linkLimit else { return }
            links.append(
                Link(connection: record.connection, devices: record.devices, began: record.time, last: record.time))
            if let connection = record.connection { indices[connection] = index }
        case .linkEnded(let index, let reason): change(index) { $0.end = reason }
        case .procedure(let index, let name): change(index) { $0.procedures[name, default: 0] += 1 }
        case .value(let index, .sent, let count): change(index) { $0.sent += count }
        case .value(let index, .received, let count): change(index) { $0.received += count }
        case .mtu(let index, let mtu): change(index) { $0.mtu = mtu }
        case .answered(_, ...0): break
        case .answered(let what, let nanoseconds):
            if waits.count == Self.waitCount, let least = waits.last, least.nanoseconds >= nanoseconds { return }
            let place = waits.firstIndex { $0.nanoseconds < nanoseconds } ?? waits.count
            waits.insert(Wait(what: what, nanoseconds: nanoseconds, number: record.number), at: place)
            if waits.count > Self.waitCount { waits.removeLast() }
        }
    }

    private mutating func change(_ index: Int, _ body: (inout Link) -> Void) {
        guard links.indices.contains(index) else { return }
        body(&links[index])
    }
}

extension CaptureSummary.Link {
    /// The time from the first to the last packet, in nanoseconds; nil if it is not known.
    var length: Int64? {
        guard let began, let last, last > began else { return nil }
        let difference = last.subtractingReportingOverflow(began)
        return difference.overflow ? nil : difference.partialValue
    }

    /// Returns the rate of `count` octets on this link, in octets per second.
    func rate(_ count: Int) -> Double? { length.map { (Double(count) / (Double($0) / 1e9)).rounded() } }
}

extension CaptureSummary {
    package var json: JSONValue {
        [
            "records": .int(records), "errors": .int(errors),
            "seconds": .optional(first.flatMap { first in last.map { Double($0) - Double(first) } }),
            "layers": .object(layers.mapValues { .int($0) }),
            "links": .array(
                links.map { link in
                    [
                        "connection": .optional(link.connection.map { Int($0) }),
                        "devices": .array(link.devices.sorted().map { .string($0.text) }),
                        "seconds": .optional(link.length.map { Double($0) }),
                        "end": .optional(link.end?.description), "reason": .optional(link.end.map { Int($0.rawValue) }),
                        "mtu": .optional(link.mtu), "errors": .int(link.errors),
                        "procedures": .object(link.procedures.mapValues { .int($0) }),
                        "sent": .int(link.sent), "received": .int(link.received),
                        "sentPerSecond": link.rate(link.sent).map { .number($0) } ?? .null,
                        "receivedPerSecond": link.rate(link.received).map { .number($0) } ?? .null,
                    ]
                }),
            "waits": .array(
                waits.map {
                    ["what": .string($0.what), "seconds": .optional(Double($0.nanoseconds)), "number": .int($0.number)]
                }),
        ]
    }

    /// Returns the summary as text. `names` contains the known names of devices.
    package func lines(names: [BluetoothAddress: String]) -> [String] {
        let length = first.flatMap { first in last.map { $0.subtractingReportingOverflow(first).partialValue } }
        let seconds = length.map { " in \(Dissection.seconds($0)) s" } ?? ""
        let kinds = layers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        var lines = ["\(records.counted("record"))\(seconds), \(errors) with errors: \(kinds.joined(separator: ", "))"]
        for (number, link) in links.enumerated() {
            let devices = link.devices.sorted().map { address in
                names[address].map { "'\($0)' (\(address))" } ?? address.text
            }
            let handle = link.connection.map { PacketLayout.hex(UInt64($0), digits: 4) } ?? "-"
            lines.append("")
            lines.append(
                "Link \(number + 1), \(handle), \(devices.isEmpty ? "a device" : devices.joined(separator: ", "))")
            let duration = link.length.map { "\(Dissection.seconds($0)) s" } ?? "an unknown time"
            lines.append("  lasted \(duration), \(link.end.map { "ended: \($0)" } ?? "not ended in the capture")")
            if let mtu = link.mtu { lines.append("  MTU \(mtu)") }
            lines.append("  values: \(Self.text(link.sent, link)) sent, \(Self.text(link.received, link)) received")
            if link.errors > 0 { lines.append("  \(link.errors) with errors") }
            for (name, count) in link.procedures.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                lines.append("  \(count) × \(name)")
            }
        }
        if !waits.isEmpty { lines += ["", "Longest waiting times"] }
        for wait in waits {
            lines.append("  \(Dissection.seconds(wait.nanoseconds)) s  \(wait.what), record \(wait.number)")
        }
        return lines.map { PrintableText.escape($0) }
    }

    private static func text(_ count: Int, _ link: Link) -> String {
        let rate = link.rate(count).map { " (\(Int($0)) a second)" } ?? ""
        return "\(count.counted("octet"))\(rate)"
    }
}

extension JSONValue {
    /// Converts nanoseconds to seconds.
    fileprivate static func optional(_ nanoseconds: Double?) -> JSONValue {
        nanoseconds.map { .number(($0 / 1000).rounded() / 1e6) } ?? .null
    }
}
