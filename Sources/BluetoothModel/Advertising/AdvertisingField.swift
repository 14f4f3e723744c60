/// A human-readable advertising structure.
///
/// Control characters in received text are escaped, so that it is safe to print on a terminal.
public struct AdvertisingField: Hashable, Sendable {
    /// The name of the type: "Complete Local Name".
    public let name: String
    /// The value as text: "LE General Discoverable, BR/EDR Not Supported".
    public let value: String
    /// The type; nil for the rest of a truncated structure.
    public let type: ADType?
    /// The bytes of the structure.
    public let raw: [UInt8]

    /// Describes a structure. The value is in hexadecimal if the type is unknown or the bytes are malformed.
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
    /// All structures as text, in order, followed by the rest of a truncated structure.
    public var fields: [AdvertisingField] {
        var result = structures.map { AdvertisingField($0) }
        if !malformedTail.isEmpty { result.append(AdvertisingField(malformedTail: malformedTail)) }
        return result
    }
}
