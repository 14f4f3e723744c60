#if Programs
import Explorer
import Foundation

extension JSONValue {
    /// Reads JSON (RFC 8259); nil for anything else.
    init?(parsing bytes: [UInt8]) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else { return nil }
        self = document.value
    }

    private struct Document: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Key.self) {
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

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension JSONValue {
    subscript(_ key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    var integer: Int? { if case .int(let number) = self { number } else { nil } }
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    var number: Double? {
        switch self {
        case .int(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
#endif
