import BluetoothProfiles
import Foundation

/// The kind of a reading. Raw values are stored.
package enum ReadingKind: Int, Sendable, CaseIterable, Codable {
    case bloodPressure = 1
    case glucose = 2
    case continuousGlucose = 3
    case weight = 4
    case bodyComposition = 5
    case temperature = 6
    case oxygenSaturation = 7
    case heartRate = 8
    case other = 9

    /// The name in JSON and in rule files.
    package var name: String { String(describing: self) }

    /// Creates the kind with this name; nil for an unknown name.
    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The quantities without a number of which a measurement is unsuccessful.
    var mainQuantities: [String] {
        switch self {
        case .bloodPressure: ["systolic", "diastolic"]
        case .bodyComposition: ["bodyFat"]
        default: Array(storedQuantities.prefix(1))
        }
    }

    /// The quantities that are stored in columns for statistics, in the order of the columns.
    package var storedQuantities: [String] {
        switch self {
        case .bloodPressure: ["systolic", "diastolic", "pulseRate"]
        case .glucose, .continuousGlucose: ["glucose"]
        case .weight, .bodyComposition: ["weight", "bmi", "bodyFat"]
        case .temperature: ["temperature"]
        case .oxygenSaturation: ["spO2", "pulseRate"]
        case .heartRate: ["heartRate"]
        case .other: []
        }
    }
}

/// A number of a measurement with its unit, as sent by the device.
package struct Quantity: Sendable, Equatable {
    /// The name: "systolic", "glucose", "weight".
    package let name: String
    /// The number; nil for a special value.
    package let value: Decimal?
    /// The number in binary form, for statistics and limits that no rule declares.
    let number: Double?
    /// The digits as sent by the device, or the name of the special value.
    package let text: String
    /// The symbol of the unit: "mmHg", "kPa", "mg/dL", "mmol/L".
    package let unit: String

    /// Creates a quantity.
    package init(_ name: String, _ value: Decimal?, text: String? = nil, unit: String) {
        self.name = name
        self.value = value
        let text = text ?? value.map { "\($0)" } ?? "NaN"
        self.text = text
        self.unit = unit
        number = value.map { Double(text) ?? NSDecimalNumber(decimal: $0).doubleValue }
    }

    /// True for a 0 that stands for an unknown value: devices send it for a pulse that they did not detect, and a body
    /// mass index that they cannot compute.
    var isUnknown: Bool { number == 0 && ["pulseRate", "bmi"].contains(name) }

    /// 1 kPa = 7.50062 mmHg (NIST Special Publication 811, appendix B.8).
    static let millimetresPerKilopascal = 7.500617
    /// The milligrams per decilitre of glucose that equal 1 mmol/L.
    static let milligramsPerMillimole = 18.016
    // The international avoirdupois pound and the inch (NIST Special Publication 811, appendix B.8).
    private static let kilogramsPerPound = 0.45359237
    private static let metresPerInch = 0.0254

    /// The number in the unit of the statistics: mmHg, mg/dL, kg, m and °C.
    package var canonical: Double? {
        guard let number else { return nil }
        return switch unit {
        case "kPa": number * Self.millimetresPerKilopascal
        case "mmol/L": number * Self.milligramsPerMillimole
        case "lb": number * Self.kilogramsPerPound
        case "in": number * Self.metresPerInch
        case "°F": (number - 32) * 5 / 9
        default: number
        }
    }

    /// Returns the number in another unit of the quantity, with the digits that are usual in it; nil for a special
    /// value, and for units that do not measure the same.
    package func text(in unit: String) -> String? {
        guard let canonical else { return nil }
        let units: Set = [self.unit, unit]
        return switch unit {
        case "mmHg" where units.contains("kPa"), "mg/dL" where units.contains("mmol/L"):
            String(format: "%.0f", canonical)
        case "kPa" where units.contains("mmHg"):
            String(format: "%.1f", canonical / Self.millimetresPerKilopascal)
        case "mmol/L" where units.contains("mg/dL"):
            String(format: "%.1f", canonical / Self.milligramsPerMillimole)
        case "kg" where units.contains("lb"), "°C" where units.contains("°F"): String(format: "%.1f", canonical)
        case "m" where units.contains("in"): String(format: "%.2f", canonical)
        case "lb" where units.contains("kg"): String(format: "%.1f", canonical / Self.kilogramsPerPound)
        case "in" where units.contains("m"): String(format: "%.1f", canonical / Self.metresPerInch)
        case "°F" where units.contains("°C"): String(format: "%.1f", canonical * 9 / 5 + 32)
        default: nil
        }
    }
}

/// A decoded reading: its kind, its quantities, and its identification on the device.
package struct HealthMeasurement: Sendable, Equatable {
    /// The kind.
    package var kind: ReadingKind
    /// The quantities, in the order of the value.
    package var quantities: [Quantity] = []
    /// The user index of the device; nil if there is none or the user is unknown (255).
    package var userIndex: Int?
    /// The sequence number of the record.
    package var sequenceNumber: Int?
    /// The time on the device's clock.
    package var deviceTime: DateTime?
    /// True if the device reports that its clock was not set.
    package var isClockUnset = false
    /// The reason why the value must not be judged, such as a control solution.
    package var reservation: String?
    /// True if the measurement was decoded from fields instead of octets. The fields must then be stored to decode it
    /// again.
    package var isFromFields = false
    /// True for the context of a glucose measurement, which has its sequence number and no time of its own.
    package var isGlucoseContext = false
    /// Qualifiers of the value: fluid, site, irregular pulse.
    package var qualifiers: [String] = []

    /// Creates a measurement.
    package init(kind: ReadingKind, quantities: [Quantity] = []) {
        self.kind = kind
        self.quantities = quantities
    }

    /// The quantity with this name; nil if there is none.
    package subscript(name: String) -> Quantity? { quantities.first { $0.name == name } }

    /// The stored quantities of the kind in the units of the statistics, in the order of the columns.
    var statistics: [Double?] {
        kind.storedQuantities.map { name in self[name].flatMap { $0.isUnknown ? nil : $0.canonical } }
    }

    /// True if the values were measured in mmol/L or kPa, for which limits other than those in mg/dL and mmHg hold.
    var isInSIUnits: Bool {
        let names = kind == .bloodPressure ? ["systolic", "diastolic"] : ["glucose"]
        let units = names.compactMap { self[$0]?.unit }
        return !units.isEmpty && units.allSatisfy { ["mmol/L", "kPa"].contains($0) }
    }

    /// The main quantities in one line: "142/88 mmHg".
    package var text: String {
        if kind == .bloodPressure, let systolic = self["systolic"], let diastolic = self["diastolic"] {
            return systolic.unit == diastolic.unit
                ? "\(systolic.text)/\(diastolic.text) \(systolic.unit)"
                : "\(systolic.text) \(systolic.unit)/\(diastolic.text) \(diastolic.unit)"
        }
        guard let first = quantities.first else {
            return qualifiers.isEmpty ? kind.name : qualifiers.joined(separator: ", ")
        }
        return first.unit.isEmpty ? first.text : "\(first.text) \(first.unit)"
    }
}
