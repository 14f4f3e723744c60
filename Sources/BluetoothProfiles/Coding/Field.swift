import BluetoothModel

/// A named field of a decoded value.
public struct Field: Sendable {
    /// The name in the specification, in lower camel case: "heartRateMeasurementValue".
    public var name: String
    /// The value.
    public var value: FieldValue
    /// The unit; nil if the field has none.
    public var unit: GATTUnit?
    /// The form in which people see the field; nil for the usual one. It does not distinguish fields.
    var form: FieldForm?

    /// Creates a field.
    public init(_ name: String, _ value: FieldValue, unit: GATTUnit? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
    }
}

extension Field: Hashable {
    public static func == (left: Field, right: Field) -> Bool {
        left.name == right.name && left.value == right.value && left.unit == right.unit
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
        hasher.combine(unit)
    }
}

/// The form in which people see a field, if it does not follow from its name and its unit.
public struct FieldForm: Sendable {
    /// The name in words.
    var words: String?
    /// The customary unit for each unit of the specification.
    var units: [GATTUnit: GATTUnit]

    /// Creates a form.
    public init(_ words: String? = nil, units: [GATTUnit: GATTUnit] = [:]) { (self.words, self.units) = (words, units) }
}

/// The value of a field.
public indirect enum FieldValue: Hashable, Sendable {
    /// An integer.
    case integer(Int64)
    /// An integer to display in hexadecimal with a minimum number of digits.
    case hex(UInt64, digits: Int)
    /// A decimal number with its precision, or a special value.
    case number(ProfileNumber)
    /// A number that is not a decimal fraction, such as a multiple of 1/1024 s.
    case real(Double)
    /// Text.
    case text(String)
    /// A Boolean value.
    case flag(Bool)
    /// A code and its name; nil if unassigned.
    case code(Int64, String?)
    /// The names of the bits that are set, and all bits.
    case bits([String], UInt64)
    /// Uninterpreted bytes.
    case bytes([UInt8])
    /// A date and time on the device's clock.
    case time(DateTime)
    /// A list of values.
    case list([FieldValue])
    /// A group of fields.
    case group([Field])
}

extension FieldValue: CustomStringConvertible {
    /// The value as text, without the unit.
    public var description: String {
        switch self {
        case .integer(let value): return String(value)
        case .hex(let value, let digits): return "0x" + value.hexText(digits: digits)
        case .number(let value): return value.description
        case .real(let value):
            let rounded = (value * 1000).rounded() / 1000
            return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
        case .text(let text): return "\"\(text)\""
        case .flag(let value): return value ? "yes" : "no"
        case .code(let number, let name): return name ?? String(number)
        case .bits(let names, let raw):
            return names.isEmpty ? (raw == 0 ? "none" : "0x" + String(raw, radix: 16)) : names.joined(separator: " + ")
        case .bytes(let bytes): return bytes.hexText(separator: " ")
        case .time(let time): return time.description
        case .list(let values): return values.map(\.description).joined(separator: " ")
        case .group(let fields): return "(\(fields.text))"
        }
    }
}

extension Field: CustomStringConvertible {
    /// Name, value and unit: "systolic 120 mmHg".
    public var description: String { "\(words) \(valueText)" }

    /// Value and unit, in the customary unit: "120 mmHg". A special value has no unit.
    public var valueText: String {
        if case .number(.special) = value { return value.description }
        let usual = usual
        return usual.unit.map { "\(usual.value) \($0.symbol)" } ?? usual.value.description
    }

    /// The powers of ten between a unit and the customary one.
    private static let shifts: [[GATTUnit]: Int] = [
        [.kilogramsPerLitre, .milligramsPerDecilitre]: 5, [.molesPerLitre, .millimolesPerLitre]: 3,
        [.kilograms, .grams]: 3, [.kilograms, .milligrams]: 6, [.litres, .millilitres]: 3,
        [.milliseconds, .seconds]: -3,
    ]

    /// The customary units of concentrations: formats specify those of glucose in kg/L and mol/L.
    private static let concentrations: [GATTUnit: GATTUnit] = [
        .kilogramsPerLitre: .milligramsPerDecilitre, .molesPerLitre: .millimolesPerLitre,
    ]

    /// The field in its customary unit.
    public var usual: Field {
        guard case .number(let number) = value, let unit, let usual = form?.units[unit] ?? Self.concentrations[unit],
            let powers = Self.shifts[[unit, usual]]
        else { return self }
        var field = self
        (field.value, field.unit) = (.number(number.moved(by: powers)), usual)
        return field
    }

    /// The same quantity in the units for display: glucose concentrations in both mg/dL and mmol/L, lists of numbers in
    /// their customary unit. Empty for all other fields and for special values.
    ///
    /// A decimal shift preserves the digits that were sent. A conversion between mass and amount of substance is
    /// rounded to 1 mg/dL or 0.1 mmol/L.
    public var display: [Field] {
        if case .list(let list) = value, let unit, let usual = form?.units[unit],
            let powers = Self.shifts[[unit, usual]]
        {
            let converted = list.map { value -> FieldValue in
                guard case .real(let number) = value else { return value }
                return .real(powers < 0 ? number / pow10(-powers) : number * pow10(powers))
            }
            return [Field(name, .list(converted), unit: usual)]
        }
        guard case .number(let number) = value, number.exact != nil, let unit else { return [] }
        switch unit {
        case .kilogramsPerLitre: return concentrations(milligrams: number.moved(by: 5))
        case .milligramsPerDecilitre: return concentrations(milligrams: number)
        case .molesPerLitre: return concentrations(millimoles: number.moved(by: 3))
        default: return []
        }
    }

    /// Milligrams per decilitre for one millimole per litre of glucose, whose molar mass is 180.156 g/mol.
    private static let milligramsPerMillimole = 18.0156

    private func concentrations(milligrams: ProfileNumber) -> [Field] {
        let converted = ProfileNumber((milligrams.value ?? 0) / Self.milligramsPerMillimole, decimals: 1)
        return concentrations(milligrams, converted)
    }

    private func concentrations(millimoles: ProfileNumber) -> [Field] {
        let converted = ProfileNumber((millimoles.value ?? 0) * Self.milligramsPerMillimole, decimals: 0)
        return concentrations(converted, millimoles)
    }

    private func concentrations(_ milligrams: ProfileNumber, _ millimoles: ProfileNumber) -> [Field] {
        [
            Field(name, .number(milligrams), unit: .milligramsPerDecilitre),
            Field(name, .number(millimoles), unit: .millimolesPerLitre),
        ]
    }

    /// The name in words: "energy expended", "user ID". Abbreviations keep their case.
    public var words: String {
        if let words = form?.words { return words }
        var words = ""
        let characters = Array(name)
        for (index, character) in characters.enumerated() {
            let isUpper = character.isUppercase
            let follows = index > 0 && characters[index - 1].isUppercase
            let precedes = index + 1 < characters.count && characters[index + 1].isLowercase
            // An abbreviation ends before the last of several capitals, unless it ends the name.
            if isUpper, index > 0, !follows || precedes { words += " " }
            words += isUpper && !precedes ? String(character) : character.lowercased()
        }
        return words.split(separator: " ")
            .map { Self.abbreviations[String($0)] ?? String($0) }.joined(separator: " ")
    }

    private static let abbreviations = [
        "co2": "CO2", "id": "ID", "nox": "NOx", "pm10": "PM10", "pm25": "PM2.5", "tx": "TX", "url": "URL",
        "uuid": "UUID", "uv": "UV", "voc": "VOC",
    ]
}

/// Returns a power of ten.
private func pow10(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { power, _ in power * 10 } }

extension [Field] {
    /// All fields in one line. A single field is shown without its name.
    public var text: String {
        count == 1 ? self[0].valueText : map(\.description).joined(separator: ", ")
    }
}
