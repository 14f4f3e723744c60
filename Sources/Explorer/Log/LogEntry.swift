import BluetoothModel
import Foundation
import Harald

/// The subject of a log entry.
package enum LogKind: String, Hashable, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case scan, connection, read, write, value, subscription, pairing, bond, radio, air, capture, sensortag
}

/// An action, a value or an error, with its time.
package struct LogEntry: Hashable, Sendable {
    /// The number of the entry, counted from 1.
    package var sequence: Int
    /// The time of the event.
    package var time: Date
    /// The subject of the entry.
    package var kind: LogKind
    /// The device; nil if the entry concerns none.
    package var device: PeripheralID?
    /// The device's name.
    package var name: String?
    /// The attribute handle; nil if the entry concerns no attribute.
    package var handle: UInt32?
    /// The UUID of the attribute.
    package var uuid: BluetoothUUID?
    /// The bytes that were read, written or received.
    package var bytes: [UInt8]?
    /// A description of the event.
    package var text: String
    /// True for an error.
    package var isError: Bool
    /// Advice for the user about an error; may be empty.
    package var advice: String

    /// The entry as a JSON object.
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

    /// The header for ``csv``.
    package static let csvHeader = "sequence,time,kind,device,name,handle,characteristic,hex,text,error,advice"

    /// The entry as a line of comma-separated values (RFC 4180).
    package var csv: String {
        [
            "\(sequence)", time.jsonText, kind.rawValue, device?.description ?? "", name ?? "",
            handle.map { "\($0)" } ?? "", uuid?.description ?? "", bytes?.hexText() ?? "", text, "\(isError)", advice,
        ].map(CSVText.field).joined(separator: ",")
    }
}

extension Date {
    /// The time in the form "2026-01-31T12:00:00.000Z".
    package var jsonText: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
