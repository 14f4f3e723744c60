/// One structure of advertising data in words, for people.
///
/// Text from the air has its control characters escaped, so that it can be printed on a terminal.
public struct AdvertisingField: Hashable, Sendable {
    /// What the structure holds: "Complete Local Name".
    public let name: String
    /// Its value in words: "LE General Discoverable, BR/EDR Not Supported".
    public let value: String
    /// The type; nil for what is left of a truncated structure.
    public let type: ADType?
    /// The bytes that `value` was made of.
    public let raw: [UInt8]

    /// A structure in words; the bytes in hexadecimal where the type is unknown or its bytes are malformed.
    public init(_ structure: AdvertisingData.Structure) {
        name = structure.type.description
        type = structure.type
        raw = structure.data
        let text = structure.data.withByteView { AdvertisingFieldText.text(structure.type, $0) }
        let hex = structure.data.hexText(separator: " ")
        value = text ?? (AdvertisingFieldText.isBare(structure.type) ? hex : "malformed: \(hex)")
    }

    init(malformedTail: [UInt8]) {
        name = "Truncated"
        value = malformedTail.hexText(separator: " ")
        type = nil
        raw = malformedTail
    }
}

extension AdvertisingData {
    /// Everything field by field, in order, for people; what was left of a truncated structure comes last.
    public var fields: [AdvertisingField] {
        var result = structures.map { AdvertisingField($0) }
        if !malformedTail.isEmpty { result.append(AdvertisingField(malformedTail: malformedTail)) }
        return result
    }
}
