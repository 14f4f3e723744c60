#if Programs
import Foundation

extension JSONValue {
    /// Parses JSON (RFC 8259); nil if it is invalid.
    package init?(parsing bytes: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else { return nil }
        self = document.value
    }

    private struct Document: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Name.self) {
                var object: [String: JSONValue] = [:]
                for key in container.allKeys {
                    object[key.stringValue] = try container.decode(Document.self, forKey: key).value
                }
                value = .object(object)
                return
            }
            if var container = try? decoder.unkeyedContainer() {
                var array: [JSONValue] = []
                while !container.isAtEnd { array.append(try container.decode(Document.self).value) }
                value = .array(array)
                return
            }
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .null
            } else if let flag = try? container.decode(Bool.self) {
                value = .bool(flag)
            } else if let number = try? container.decode(Int.self) {
                value = .int(number)
            } else if let number = try? container.decode(Double.self) {
                value = .number(number)
            } else {
                value = .string(try container.decode(String.self))
            }
        }
    }

    private struct Name: CodingKey {
        /// The key of a member.
        package var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue {
    /// The member of an object with this key; nil for other values.
    package subscript(_ key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The text of a string; nil for other values.
    package var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    /// The Boolean value; nil for other values.
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    /// The integer; nil for other values.
    package var integer: Int? { if case .int(let number) = self { number } else { nil } }
    /// The elements of an array; nil for other values.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The number; nil for other values.
    package var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
#endif
