import BluetoothHCI
import BluetoothModel
import Explorer

extension Dissection {
    package var json: JSONValue {
        [
            "number": .int(number), "time": Self.decimal(time), "delta": Self.decimal(delta),
            "connection": .optional(connection.map { Int($0) }), "direction": .optional(direction?.rawValue),
            "layers": .array(layers.map { .string($0) }), "summary": .string(summary),
            "att": att.map {
                ["opcode": .int(Int($0.opcode)), "handle": .optional($0.handles.first.map { Int($0) })]
            } ?? .null,
            "error": .optional(error),
            "devices": .array(devices.sorted().map { .string($0.text) }),
        ]
    }

    /// The names of the columns of ``line(since:)``.
    package static let columns = "   NO.        TIME      DELTA    LINK    PROTOCOL"

    /// Returns one line: the number, the seconds since `start`, the seconds since the previous record, the direction,
    /// the link, the protocol and the summary.
    package func line(since start: Int64?) -> String {
        let seconds = time.flatMap { time in start.map { time.subtractingReportingOverflow($0) } }
        let clock = seconds.map { $0.overflow ? "-" : Self.seconds($0.partialValue) } ?? "-"
        let arrow = direction.map { $0 == .sent ? ">" : "<" } ?? " "
        let link = connection.map { String(PacketLayout.hex(UInt64($0), digits: 4).dropFirst(2)) } ?? "    "
        let name = (layers.last { $0 != "le" } ?? "-").uppercased()
        var line = Self.padded("\(number)", 6) + " " + Self.padded(clock, 12) + " "
        line += Self.padded(delta.map { "+" + Self.seconds($0) } ?? "", 11) + "  \(arrow) \(link)  "
        line += name + String(repeating: " ", count: max(0, 10 - name.count)) + " \(summary)"
        if let error { line += "  !! \(error)" }
        return PrintableText.escape(line)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Returns the time in seconds with six decimals.
    package static func seconds(_ nanoseconds: Int64) -> String { digits(nanoseconds, decimals: 6) }

    private static func digits(_ nanoseconds: Int64, decimals: Int) -> String {
        let magnitude = nanoseconds.magnitude
        let fraction = String(magnitude % 1_000_000_000 + 1_000_000_000).dropFirst().prefix(decimals)
        return "\(nanoseconds < 0 ? "-" : "")\(magnitude / 1_000_000_000).\(fraction)"
    }

    private static func decimal(_ nanoseconds: Int64?) -> JSONValue {
        guard let nanoseconds else { return .null }
        return .decimal(digits(nanoseconds, decimals: nanoseconds % 1000 == 0 ? 6 : 9))
    }
}
