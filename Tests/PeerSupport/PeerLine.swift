import Foundation

/// A line that a peer printed: mostly one JSON object, sometimes the text of a warning.
package struct PeerLine: Sendable, CustomStringConvertible {
    /// The line without its end.
    package let text: String
    /// The members of the object; empty if the line is no object.
    package let fields: [String: PeerValue]

    init(_ text: String) {
        self.text = text
        fields = (try? JSONDecoder().decode([String: PeerValue].self, from: Data(text.utf8))) ?? [:]
    }

    /// The peer's name of the event: `ready`, `connected`, `done`.
    package var event: String? { fields["event"]?.text }

    /// A member of the object.
    package subscript(_ name: String) -> PeerValue? { fields[name] }

    /// The line itself.
    package var description: String { text }
}

/// A JSON value in a line that a peer printed.
package enum PeerValue: Sendable, Hashable, Decodable {
    case text(String)
    case number(Double)
    case bool(Bool)
    case list([PeerValue])
    case object([String: PeerValue])
    case null

    /// Decodes any value of JSON.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([PeerValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: PeerValue].self))
        }
    }

    /// The text; nil if it is another value.
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    /// The whole number; nil if it is another value.
    package var int: Int? { if case .number(let value) = self { Int(exactly: value) } else { nil } }
    /// The number; nil if it is another value.
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The Boolean value; nil if it is another value.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements; nil if it is no list.
    package var list: [PeerValue]? { if case .list(let value) = self { value } else { nil } }
}
