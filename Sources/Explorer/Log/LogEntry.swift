#if Programs
import Foundation
import Harald

/// What a log entry is about.
package enum LogKind: String, Hashable, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case scan, connection, read, write, value, subscription, pairing, bond, radio, air, capture, sensortag
}

/// An action, a value or an error, with its time.
package struct LogEntry: Hashable, Sendable {
    /// Counts the entries from 1.
    package var sequence: Int
    /// When it happened.
    package var time: Date
    /// What it is about.
    package var kind: LogKind
    /// The device; nil where none is concerned.
    package var device: PeripheralID?
    /// The device's name.
    package var name: String?
    /// The attribute; nil where none is concerned.
    package var handle: UInt32?
    /// What the attribute is.
    package var uuid: BluetoothUUID?
    /// The bytes that were read, written or received.
    package var bytes: [UInt8]?
    /// What happened, in words.
    package var text: String
    /// Whether it is a failure.
    package var isError: Bool
    /// What the user can do about a failure; empty where there is nothing to say.
    package var advice: String

    /// One object.
    package var json: JSONValue {
        [
            "sequence": .int(sequence), "time": .string(time.jsonText), "kind": .string(kind.rawValue),
            "device": .optional(device?.description), "name": .optional(name),
            "handle": .optional(handle.map { Int($0) }),
            "characteristic": .optional(uuid?.description),
            "characteristicName": .optional(uuid.flatMap { AssignedNumbers.name(of: $0) }),
            "hex": .optional(bytes?.hexText()), "text": .string(text),
            "error": .bool(isError), "advice": .string(advice),
        ]
    }

    /// The titles of the columns of ``csv``.
    package static let csvHeader = "sequence,time,kind,device,name,handle,characteristic,hex,text,error,advice"

    /// A line of comma-separated values (RFC 4180).
    package var csv: String {
        [
            "\(sequence)", time.jsonText, kind.rawValue, device?.description ?? "", name ?? "",
            handle.map { "\($0)" } ?? "", uuid?.description ?? "", bytes?.hexText() ?? "", text, "\(isError)", advice,
        ].map(CSVText.field).joined(separator: ",")
    }
}

/// Fields of comma-separated values (RFC 4180).
package enum CSVText {
    /// The field, in quotation marks where it needs them.
    ///
    /// Names and values come from the air: what a spreadsheet would take for a formula has an apostrophe in front, and
    /// control characters, which a terminal would obey, are written as `\u{1B}`.
    package static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        let safe = PrintableText.escape(isFormula && Double(text) == nil ? "'" + text : text)
        guard safe.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
        return "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}

extension Date {
    /// "2026-01-31T12:00:00.000Z"
    package var jsonText: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
#endif
