#if Programs
import BluetoothProfiles
import Foundation

/// Kind of a reading. Raw values are stored.
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

    /// Name in JSON and in rule files.
    package var name: String { String(describing: self) }

    /// The kind with that name.
    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// Quantities that are stored in columns for statistics, in the order of the columns.
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

/// A number of a measurement with its unit, as the device sent it.
package struct Quantity: Sendable, Equatable {
    /// Name: "systolic", "glucose", "weight".
    package var name: String
    /// The number; nil for a special value.
    package var value: Decimal?
    /// The digits as the device sent them, or the name of the special value.
    package var text: String
    /// Symbol of the unit: "mmHg", "kPa", "mg/dL", "mmol/L".
    package var unit: String

    /// A quantity.
    package init(_ name: String, _ value: Decimal?, text: String? = nil, unit: String) {
        self.name = name
        self.value = value
        self.text = text ?? value.map { "\($0)" } ?? "NaN"
        self.unit = unit
    }

    /// The number in the unit that statistics use: mmHg, mg/dL, kg, m and °C.
    package var canonical: Double? {
        guard let value else { return nil }
        let number = Double(text) ?? NSDecimalNumber(decimal: value).doubleValue
        return switch unit {
        // 1 kPa = 7.50062 mmHg (NIST Special Publication 811, appendix B.8).
        case "kPa": number * 7.500617
        // 18.016 mg/dL of glucose are 1 mmol/L.
        case "mmol/L": number * 18.016
        // The international avoirdupois pound and the inch (NIST Special Publication 811, appendix B.8).
        case "lb": number * 0.45359237
        case "in": number * 0.0254
        case "°F": (number - 32) * 5 / 9
        default: number
        }
    }
}

/// A decoded reading: its kind, its quantities, and what identifies it on the device.
package struct HealthMeasurement: Sendable, Equatable {
    /// Kind.
    package var kind: ReadingKind
    /// Quantities in the order of the value.
    package var quantities: [Quantity] = []
    /// User index of the device; nil where it has none or the user is unknown (255).
    package var userIndex: Int?
    /// Sequence number of the record.
    package var sequenceNumber: Int?
    /// Time on the device's clock.
    package var deviceTime: DateTime?
    /// Reason why the value must not be judged, such as a control solution.
    package var reservation: String?
    /// It was read from decoded fields, not from octets: only with the fields it can be read again.
    package var isFromFields = false
    /// Names that qualify the value: fluid, site, irregular pulse.
    package var qualifiers: [String] = []

    /// A measurement.
    package init(kind: ReadingKind, quantities: [Quantity] = []) {
        self.kind = kind
        self.quantities = quantities
    }

    /// The quantity of that name.
    package subscript(name: String) -> Quantity? { quantities.first { $0.name == name } }

    /// One line: "142/88 mmHg, 72 bpm".
    package var text: String {
        if kind == .bloodPressure, let systolic = self["systolic"], let diastolic = self["diastolic"] {
            return "\(systolic.text)/\(diastolic.text) \(systolic.unit)"
        }
        guard let first = quantities.first else { return kind.name }
        return first.unit.isEmpty ? first.text : "\(first.text) \(first.unit)"
    }
}
#endif
