import BluetoothModel

/// A named field of a decoded value.
public struct Field: Hashable, Sendable {
    /// The name in the specification, in lower camel case: "heartRateMeasurementValue".
    public var name: String
    /// The value.
    public var value: FieldValue
    /// The unit; nil if the field has none.
    public var unit: GATTUnit?

    /// Creates a field.
    public init(_ name: String, _ value: FieldValue, unit: GATTUnit? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
    }
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

    /// The field in its customary unit. Formats specify glucose concentrations in kg/L and mol/L and masses in kg,
    /// customary are mg/dL and mmol/L, grams for food and milligrams for medication.
    public var usual: Field {
        guard case .number(let number) = value, let unit else { return self }
        switch unit {
        case .kilogramsPerLitre: return Field(name, .number(number.moved(by: 5)), unit: .milligramsPerDecilitre)
        case .molesPerLitre: return Field(name, .number(number.moved(by: 3)), unit: .millimolesPerLitre)
        case .kilograms where name == "carbohydrate": return Field(name, .number(number.moved(by: 3)), unit: .grams)
        case .kilograms where name == "medication": return Field(name, .number(number.moved(by: 6)), unit: .milligrams)
        case .litres where name == "medication": return Field(name, .number(number.moved(by: 3)), unit: .millilitres)
        default: return self
        }
    }

    /// The same quantity in the units for display: glucose concentrations in both mg/dL and mmol/L, RR intervals in
    /// seconds. Empty for all other fields and for special values.
    ///
    /// A decimal shift preserves the digits that were sent. A conversion between mass and amount of substance is
    /// rounded to 1 mg/dL or 0.1 mmol/L.
    public var display: [Field] {
        if name == "rrInterval", unit == .milliseconds, case .list(let intervals) = value {
            let seconds = intervals.map { interval -> FieldValue in
                guard case .real(let milliseconds) = interval else { return interval }
                return .real(milliseconds / 1000)
            }
            return [Field(name, .list(seconds), unit: .seconds)]
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

    private static let abbreviations = ["SpO2", "PnP", "BMI", "CGM", "CSC", "RSC", "DST", "CRC", "HbA1c", "UV", "ID"]

    /// Returns true if the next word is the abbreviation: "identifier" does not begin with "ID".
    private static func begins(_ text: Substring, with abbreviation: String) -> Bool {
        guard text.lowercased().hasPrefix(abbreviation.lowercased()) else { return false }
        return text.dropFirst(abbreviation.count).first?.isLowercase != true
    }

    /// The name as lowercase words: "energy expended".
    public var words: String {
        var words = ""
        var rest = name[...]
        while let first = rest.first {
            // Abbreviations keep their case: "user ID", "SpO2 fast".
            if let known = Self.abbreviations.first(where: { Self.begins(rest, with: $0) }),
                words.isEmpty || first.isUppercase
            {
                words += (words.isEmpty ? "" : " ") + known
                rest = rest.dropFirst(known.count)
            } else {
                if first.isUppercase, !words.isEmpty { words += " " }
                words += first.lowercased()
                rest = rest.dropFirst()
            }
        }
        // The suffix is redundant: "heart rate 72 bpm".
        let tail = " measurement value"
        return words.hasSuffix(tail) ? String(words.dropLast(tail.count)) : words
    }
}

extension [Field] {
    /// All fields in one line. A single field is shown without its name.
    public var text: String {
        count == 1 ? self[0].valueText : map(\.description).joined(separator: ", ")
    }
}
