import BluetoothProfiles
import Foundation

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
    var isUnknown: Bool { number == 0 && QuantityKind[name]?.isUnknownAtZero == true }

    /// True for a value above the range of the device, false for one below it; nil for others.
    var isAboveRange: Bool? {
        guard value == nil else { return nil }
        return switch text {
        case "+INF", "positive-infinity": true
        case "-INF", "negative-infinity": false
        default: nil
        }
    }

    /// The number for a comparison with limits: a value beyond the range of the device is beyond each limit.
    var comparable: Decimal? { value ?? isAboveRange.map { $0 ? 1_000_000_000 : -1_000_000_000 } }

    /// The number in the unit of the statistics: mmHg, mg/dL, kg, m and °C.
    package var canonical: Double? { number.map { MeasurementUnit[unit]?.canonical($0) ?? $0 } }

    /// Returns the number in another unit of the quantity, with the digits that are usual in it; nil for a special
    /// value, and for units that do not measure the same.
    package func text(in symbol: String) -> String? {
        guard let canonical, symbol != unit, let other = MeasurementUnit[symbol],
            other.canonical == MeasurementUnit[unit]?.canonical
        else { return nil }
        return String(format: "%.\(other.decimals)f", other.number(canonical))
    }
}

/// A decoded reading: its kind, its quantities, and its identification on the device.
package struct HealthMeasurement: Sendable, Equatable {
    package var kind: MeasurementKind
    /// The quantities, in the order of the value.
    package var quantities: [Quantity] = []
    /// The user index of the device; nil if there is none or the user is unknown (255).
    package var userIndex: Int?
    package var sequenceNumber: Int?
    package var deviceTime: DateTime?
    /// True if the device reports that its clock was not set.
    package var isClockUnset = false
    /// The reason why the value must not be judged, such as a control solution.
    package var reservation: HubText?
    /// True if the only reservation is that the value is beyond the range of the device.
    package var isBeyondRange = false
    /// True if the measurement was decoded from fields instead of octets. The fields must then be stored to decode it
    /// again.
    package var isFromFields = false
    /// True for the context of a glucose measurement, which has its sequence number and no time of its own.
    package var isGlucoseContext = false
    /// Qualifiers of the value: fluid, site, irregular pulse.
    package var qualifiers: [String] = []

    package init(kind: MeasurementKind, quantities: [Quantity] = []) {
        self.kind = kind
        self.quantities = quantities
    }

    package subscript(name: String) -> Quantity? { quantities.first { $0.name == name } }

    /// The stored quantities of the kind in the units of the statistics, in the order of the columns.
    var statistics: [Double?] {
        kind.storedQuantities.map { name in self[name].flatMap { $0.isUnknown ? nil : $0.canonical } }
    }

    /// True if the values were measured in mmol/L or kPa, for which limits other than those in mg/dL and mmHg hold.
    var isInSIUnits: Bool {
        let recorded = quantities.filter { QuantityKind[$0.name]?.recordsUnit == true }
        return !recorded.isEmpty && recorded.allSatisfy { QuantityKind[$0.name]?.canonicalUnit != $0.unit }
    }

    /// The main quantities in one line, for people.
    package var words: HubText {
        if let isAbove = quantities.first?.isAboveRange {
            return isAbove ? "above the range of the device" : "below the range of the device"
        }
        guard quantities.isEmpty else { return "\(digits: text)" }
        return qualifiers.isEmpty
            ? HubText(MeasurementKind.named(kind.name)?.title ?? kind.name)
            : .joined(qualifiers.map { HubText($0) }, by: ", ")
    }

    /// The main quantities in one line: "142/88 mmHg".
    package var text: String {
        if kind.mainQuantities.count > 1 {
            let all = kind.mainQuantities.compactMap { self[$0] }
            if all.count == kind.mainQuantities.count {
                return Set(all.map(\.unit)).count == 1
                    ? all.map(\.text).joined(separator: "/") + " \(all[0].unit)"
                    : all.map { "\($0.text) \($0.unit)" }.joined(separator: "/")
            }
        }
        guard let first = quantities.first else {
            return qualifiers.isEmpty ? kind.name : qualifiers.joined(separator: ", ")
        }
        if let isAbove = first.isAboveRange { return "\(isAbove ? "above" : "below") the range of the device" }
        return first.unit.isEmpty ? first.text : "\(first.text) \(first.unit)"
    }
}
