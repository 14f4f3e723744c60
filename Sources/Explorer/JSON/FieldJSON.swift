import BluetoothProfiles

extension JSONValue {
    /// Creates an object of the fields by name.
    package init(_ fields: [Field]) {
        self = .object(Dictionary(fields.map { ($0.name, JSONValue($0)) }, uniquingKeysWith: { first, _ in first }))
    }

    /// Creates the value of a field: an object if the field has a unit, a name or a special value, else the plain
    /// value.
    package init(_ field: Field) {
        switch field.value {
        case .number(let number):
            var object: [String: JSONValue] = ["value": number.exact.map { .decimal($0.description) } ?? .null]
            if let special = number.special { object["special"] = .string(special.rawValue) }
            object["unit"] = field.unit.map { .string($0.symbol) }
            self = .object(object.merging(Self.display(of: field)) { $1 })
        case .code(let number, let name): self = ["value": JSONValue(integer: number), "name": .optional(name)]
        case .bits(let names, let raw):
            self = ["value": JSONValue(integer: raw), "names": .array(names.map { .string($0) })]
        default:
            let value = JSONValue(field.value)
            guard let unit = field.unit else {
                self = value
                return
            }
            let object: [String: JSONValue] = ["value": value, "unit": .string(unit.symbol)]
            self = .object(object.merging(Self.display(of: field)) { $1 })
        }
    }

    /// The member `display`, if the field has other units that people use.
    private static func display(of field: Field) -> [String: JSONValue] {
        let others = field.display
        guard !others.isEmpty else { return [:] }
        return [
            "display": .array(
                others.map { ["value": JSONValue($0.value), "unit": .optional($0.unit?.symbol)] })
        ]
    }

    fileprivate init(_ value: FieldValue) {
        switch value {
        case .integer(let number): self = JSONValue(integer: number)
        case .hex(let number, _): self = JSONValue(integer: number)
        case .number(let number): self = number.exact.map { .decimal($0.description) } ?? .null
        case .real(let number): self = .number(number)
        case .text(let text): self = .string(text)
        case .flag(let flag): self = .bool(flag)
        case .code(let number, _): self = JSONValue(integer: number)
        case .bits(_, let raw): self = JSONValue(integer: raw)
        case .bytes(let bytes): self = .string(bytes.hexText())
        case .time(let time): self = .string(time.description)
        case .list(let values): self = .array(values.map { JSONValue($0) })
        case .group(let fields): self = JSONValue(fields)
        }
    }
}

extension JSONValue {
    /// Creates the plain value of a field.
    package init(single field: Field) { self = JSONValue(field.value) }
}

extension JSONValue {
    /// Creates a number with all its digits, also beyond the range of `Int`.
    fileprivate init(integer: some BinaryInteger) {
        self = Int(exactly: integer).map { .int($0) } ?? .decimal("\(integer)")
    }
}
