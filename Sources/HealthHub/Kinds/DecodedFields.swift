import BluetoothProfiles
import Foundation
import JSON

/// The decoded fields of a record: those of octets, or those that were sent as JSON.
protocol DecodedFields {
    /// True if values that no person can have, and other faults, are reservations; false if they are refused.
    var isLenient: Bool { get }
    func contains(_ field: String) -> Bool
    /// Returns the value of a quantity; nil if it has none.
    /// - Throws: ``ReadingProblem`` for a value that is no number, or has another unit.
    func quantity(_ kind: QuantityKind, in field: String) throws(ReadingProblem) -> Quantity?
    /// Returns the value of a quantity as it was sent, which ``quantity(_:in:)`` refuses.
    func unchecked(_ kind: QuantityKind, in field: String) -> Quantity
    /// Returns an integer; nil for a field that is missing or no number.
    /// - Throws: ``ReadingProblem`` for a number that is not in the range.
    func integer(_ field: String, in range: ClosedRange<Int>) throws(ReadingProblem) -> Int?
    /// Returns the number of a code or of bits; 0 if the field is missing.
    func number(_ field: String) -> UInt32
    func name(_ field: String) -> String?
    /// Returns a time on the device's clock.
    func time(_ field: String) -> DateTime?
    func text(_ field: String) -> String?
    func flag(_ field: String) -> Bool
}

extension DecodedFields {
    func unchecked(_ kind: QuantityKind, in field: String) -> Quantity { Quantity(kind.name, nil, unit: "") }
}

struct OctetFields: DecodedFields {
    let fields: [Field]
    let isLenient = true

    private subscript(name: String) -> Field? { fields.first { $0.name == name } }

    func contains(_ field: String) -> Bool { self[field] != nil }

    func quantity(_ kind: QuantityKind, in field: String) -> Quantity? {
        guard let field = self[field]?.usual, let unit = field.unit else { return nil }
        return switch field.value {
        case .number(let number): Quantity(kind.name, number, unit)
        case .integer(let number): Quantity(kind.name, Decimal(number), unit: unit.symbol)
        default: nil
        }
    }

    func integer(_ field: String, in range: ClosedRange<Int>) -> Int? {
        if case .integer(let number)? = self[field]?.value { Int(number) } else { nil }
    }

    func number(_ field: String) -> UInt32 {
        switch self[field]?.value {
        case .bits(_, let raw): UInt32(truncatingIfNeeded: raw)
        case .code(let number, _): UInt32(truncatingIfNeeded: number)
        default: 0
        }
    }

    func name(_ field: String) -> String? { if case .code(_, let name)? = self[field]?.value { name } else { nil } }
    func time(_ field: String) -> DateTime? { if case .time(let time)? = self[field]?.value { time } else { nil } }
    func text(_ field: String) -> String? { if case .text(let text)? = self[field]?.value { text } else { nil } }
    func flag(_ field: String) -> Bool { self[field]?.value == .flag(true) }
}

extension Quantity {
    fileprivate init(_ name: String, _ number: ProfileNumber, _ unit: GATTUnit) {
        let decimal = number.exact.map { exact in
            Decimal(
                sign: exact.mantissa < 0 ? .minus : .plus, exponent: exact.exponent,
                significand: Decimal(exact.mantissa.magnitude))
        }
        // 140 instead of 1.4E+2. The exponent of a FLOAT may have up to 127 zeros.
        let isWhole = number.exact.map { (1...7).contains($0.exponent) } ?? false
        let text = isWhole ? decimal.map { "\($0)" } : nil
        self.init(name, decimal, text: text ?? number.description, unit: unit.symbol)
    }
}

/// Fields in the form of `harald decode --json`.
struct JSONFields: DecodedFields {
    let members: [String: JSONValue]
    let isLenient: Bool

    func unchecked(_ kind: QuantityKind, in field: String) -> Quantity {
        let node = members[field]
        return Quantity(
            kind.name, node?.exact, text: node?["value"]?.string, unit: node?["unit"]?.string ?? "")
    }

    func contains(_ field: String) -> Bool { members[field] != nil }
    func name(_ field: String) -> String? { members[field]?["name"]?.string }
    func time(_ field: String) -> DateTime? { text(field).flatMap(DateTime.init(text:)) }
    func text(_ field: String) -> String? { members[field]?.string }
    func flag(_ field: String) -> Bool { members[field] == .bool(true) }

    func number(_ field: String) -> UInt32 {
        guard let number = members[field]?.exact, number > 0, number <= Decimal(UInt32.max) else { return 0 }
        return NSDecimalNumber(decimal: number).uint32Value
    }

    func integer(_ field: String, in range: ClosedRange<Int>) throws(ReadingProblem) -> Int? {
        guard let number = members[field]?.exact else { return nil }
        if number >= Decimal(range.lowerBound), number <= Decimal(range.upperBound) {
            let integer = NSDecimalNumber(decimal: number).intValue
            if Decimal(integer) == number { return integer }
        }
        if isLenient { return nil }
        throw ReadingProblem("fields.\(field) is not an integer from \(range.lowerBound) to \(range.upperBound)")
    }

    func quantity(_ kind: QuantityKind, in field: String) throws(ReadingProblem) -> Quantity? {
        guard let node = members[field] else { return nil }
        func problem(_ reason: String) -> ReadingProblem { ReadingProblem("fields.\(field)\(reason)") }
        let sent = node["unit"]?.string
        if !isLenient, sent == nil, let unit = node["unit"], unit != .null { throw problem(": the unit is not a text") }
        let digits = node["value"] ?? node
        let number = node.exact
        let stored: (number: Decimal, unit: String)?
        do {
            stored = try (sent ?? kind.standardUnit).map { unit throws(ReadingProblem) in
                try kind.stored(number ?? 0, unit)
            }
        } catch {
            throw problem(": \(error)")
        }
        guard number != nil else {
            let sentSpecial = node["special"].flatMap { $0 == .null ? nil : $0 }
            if !isLenient, let sentSpecial, sentSpecial.string.map(HealthMeasurement.isSpecial) != true {
                throw problem(
                    ": special is not a special value such as NaN: '\((sentSpecial.string ?? "").prefix(64))'")
            }
            let isSpecial =
                sentSpecial != nil || digits == .null
                || digits.string.flatMap(ProfileNumber.Special.init(rawValue:)) != nil
            guard isSpecial else {
                throw problem(" is not a number" + (digits.string.map { ": '\($0.prefix(64))'" } ?? ""))
            }
            let special = sentSpecial?.string ?? digits.string ?? "NaN"
            return Quantity(kind.name, nil, text: special, unit: sent ?? kind.standardUnit ?? "")
        }
        guard let stored else { throw problem(" has no unit") }
        // Text keeps the digits that a JSON number loses: 6.10.
        return Quantity(
            kind.name, stored.number, text: stored.unit == sent ? digits.string : nil, unit: stored.unit)
    }
}

extension JSONValue {
    /// The number of a field: the value itself, its text, or the member `value` of an object; nil if there is none.
    var exact: Decimal? {
        switch self {
        case .int(let number): Decimal(number)
        case .number, .decimal: digits.flatMap(Decimal.init(digits:))
        case .string(let text): Decimal(plain: text)
        case .object(let object): object["value"]?.exact
        default: nil
        }
    }
}

extension Decimal {
    /// Parses a number as devices show it: digits, a decimal point and a minus; nil for any other text.
    init?(plain text: String) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }) else { return nil }
        self.init(digits: text)
    }

    /// Parses a decimal number; nil for a text that contains anything else.
    init?(digits text: String) {
        // `Decimal(string:)` parses the beginning of a text.
        var rest = text.utf8[...]
        func skip(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func digits() -> Bool {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        _ = skip("+-")
        guard digits() else { return nil }
        if skip("."), !digits() { return nil }
        if skip("eE") {
            _ = skip("+-")
            guard digits() else { return nil }
        }
        guard rest.isEmpty,
            let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), number.isFinite
        else { return nil }
        self = number
    }
}
