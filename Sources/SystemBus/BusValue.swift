/// A D-Bus value with its type (D-Bus Specification, "Type System").
package indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    case signature(String)
    /// A file descriptor.
    case descriptor(BusDescriptor)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// An array whose elements have the type `of`.
    case array([BusValue], of: String)
    /// A dictionary whose entries have the types `key` and `value`.
    case dictionary([BusValue: BusValue], key: String, value: String)
    case structure([BusValue])
    case variant(BusValue)

    /// The single complete type, as in a message's signature.
    package var type: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(_, let element): "a" + element
        case .dictionary(_, let key, let value): "a{" + key + value + "}"
        case .structure(let fields): "(" + fields.map(\.type).joined() + ")"
        case .variant: "v"
        }
    }
}

extension BusValue {
    /// Returns an `a{sv}`: names with values of any type.
    package static func properties(_ properties: [String: BusValue]) -> BusValue {
        .dictionary(
            Dictionary(uniqueKeysWithValues: properties.map { (.string($0.key), .variant($0.value)) }), key: "s",
            value: "v")
    }

    /// Returns an `as`.
    package static func strings(_ strings: [String]) -> BusValue { .array(strings.map { .string($0) }, of: "s") }

    /// The value inside a variant; the value itself otherwise.
    package var unwrapped: BusValue {
        if case .variant(let value) = self { return value.unwrapped }
        return self
    }

    /// The Boolean.
    package var bool: Bool? {
        if case .bool(let value) = unwrapped { return value }
        return nil
    }

    /// The text of a string or of an object path.
    package var text: String? {
        switch unwrapped {
        case .string(let text), .path(let text): text
        default: nil
        }
    }

    /// The number, of any width.
    package var integer: Int? {
        switch unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The bytes of `ay`.
    package var bytes: [UInt8]? {
        switch unwrapped {
        case .bytes(let bytes): bytes
        // An empty array of bytes, as code that inspects the elements sees it.
        case .array(let values, of: "y") where values.isEmpty: []
        default: nil
        }
    }

    /// The texts of `as` or `ao`.
    package var texts: [String]? {
        guard case .array(let values, _) = unwrapped else { return nil }
        return values.compactMap(\.text)
    }

    /// `a{sv}` with the values unwrapped.
    package var properties: [String: BusValue]? {
        guard case .dictionary(let entries, key: "s", _) = unwrapped else { return nil }
        var result: [String: BusValue] = [:]
        for (key, value) in entries { if let name = key.text { result[name] = value.unwrapped } }
        return result
    }
}
