/// A field of a value, as the specification calls it: what it holds and in which unit.
public struct Field: Hashable, Sendable {
    /// The name of the specification, in lower camel case: "heartRateMeasurementValue".
    public var name: String
    /// What it holds.
    public var value: FieldValue
    /// The unit; nil for what has none.
    public var unit: GATTUnit?

    /// A field.
    public init(_ name: String, _ value: FieldValue, unit: GATTUnit? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
    }
}

/// What a field holds.
public indirect enum FieldValue: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)
    /// A number that people read in hexadecimal, with so many digits.
    case hex(UInt64, digits: Int)
    /// A decimal number with its precision, or a special value.
    case number(ProfileNumber)
    /// A number that is no decimal one, such as a count of 1/1024 s.
    case real(Double)
    /// Text.
    case text(String)
    /// Whether something is so.
    case flag(Bool)
    /// A number that stands for something, and for what, where the specification says.
    case code(Int64, String?)
    /// Bits of which each stands for something: the names of those that are set, and all as a number.
    case bits([String], UInt64)
    /// Bytes whose meaning is not known here.
    case bytes([UInt8])
    /// A point in time on the device's clock.
    case time(DateTime)
    /// Several of them.
    case list([FieldValue])
    /// Fields that belong together.
    case group([Field])
}

extension FieldValue: CustomStringConvertible {
    /// In words, without the unit.
    public var description: String {
        switch self {
        case .integer(let value): return String(value)
        case .hex(let value, let digits):
            let text = String(value, radix: 16, uppercase: true)
            return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
        case .number(let value): return value.description
        case .real(let value):
            let rounded = (value * 1000).rounded() / 1000
            return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
        case .text(let text): return "\"\(text)\""
        case .flag(let value): return value ? "yes" : "no"
        case .code(let number, let name): return name ?? String(number)
        case .bits(let names, let raw):
            return names.isEmpty ? (raw == 0 ? "none" : "0x" + String(raw, radix: 16)) : names.joined(separator: " + ")
        case .bytes(let bytes): return bytes.map(Self.hex).joined(separator: " ")
        case .time(let time): return time.description
        case .list(let values): return values.map(\.description).joined(separator: " ")
        case .group(let fields): return "(\(fields.text))"
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

extension Field: CustomStringConvertible {
    /// "systolic 120 mmHg"
    public var description: String { "\(words) \(valueText)" }

    /// "120 mmHg", in the unit that people know it in; a special value has no unit.
    public var valueText: String {
        if case .number(.special) = value { return value.description }
        let usual = usual
        return usual.unit.map { "\(usual.value) \($0.symbol)" } ?? usual.value.description
    }

    /// The field in the unit that people know it in: formats have concentrations of glucose in kg/L and mol/L, people
    /// have mg/dL and mmol/L, and what they eat and take they weigh in grams and milligrams.
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

    /// The same quantity in the units that people read: concentrations of glucose in mg/dL and in mmol/L, intervals
    /// between heart beats in seconds. Empty for every other field and for a special value.
    ///
    /// A decimal shift keeps the digits that were sent. A conversion between mass and amount of substance is rounded to
    /// 1 mg/dL or to 0.1 mmol/L.
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

    /// The mass of glucose in milligrams per decilitre for one millimole per litre: a mole has 180.156 g.
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

    /// Whether the next word is that abbreviation: "identifier" is not "ID".
    private static func begins(_ text: Substring, with abbreviation: String) -> Bool {
        guard text.lowercased().hasPrefix(abbreviation.lowercased()) else { return false }
        return text.dropFirst(abbreviation.count).first?.isLowercase != true
    }

    /// The name in words: "energy expended".
    public var words: String {
        var words = ""
        var rest = name[...]
        while let first = rest.first {
            // Abbreviations keep their letters: "user ID", "SpO2 fast".
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
        // "heart rate 72 bpm" says it too.
        let tail = " measurement value"
        return words.hasSuffix(tail) ? String(words.dropLast(tail.count)) : words
    }
}

extension [Field] {
    /// All fields in one line; a single one without its name.
    public var text: String {
        count == 1 ? self[0].valueText : map(\.description).joined(separator: ", ")
    }
}
