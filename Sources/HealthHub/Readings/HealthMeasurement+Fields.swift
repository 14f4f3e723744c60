import BluetoothModel
import BluetoothProfiles
import Foundation

/// Measurements from decoded fields.
extension HealthMeasurement {
    /// The field names that determine the kind, with their quantities.
    private static let known: [(field: String, kind: ReadingKind, quantity: String)] = [
        ("systolic", .bloodPressure, "systolic"), ("diastolic", .bloodPressure, "diastolic"),
        ("meanArterialPressure", .bloodPressure, "meanArterialPressure"),
        ("glucoseConcentration", .glucose, "glucose"), ("glucose", .glucose, "glucose"),
        ("cgmGlucoseConcentration", .continuousGlucose, "glucose"),
        ("weight", .weight, "weight"), ("bmi", .weight, "bmi"), ("height", .weight, "height"),
        ("bodyFat", .weight, "bodyFat"), ("bodyFatPercentage", .bodyComposition, "bodyFat"),
        ("temperature", .temperature, "temperature"), ("spO2", .oxygenSaturation, "spO2"),
        ("heartRateMeasurementValue", .heartRate, "heartRate"),
    ]

    /// Returns the kind of a measurement characteristic; nil for other characteristics.
    private static func kind(of uuid: BluetoothUUID?) -> ReadingKind? {
        switch uuid {
        case BloodPressureMeasurement.uuid: .bloodPressure
        case GlucoseMeasurement.uuid: .glucose
        case CGMMeasurement.uuid: .continuousGlucose
        case WeightMeasurement.uuid: .weight
        case BodyCompositionMeasurement.uuid: .bodyComposition
        case TemperatureMeasurement.uuid: .temperature
        case PLXSpotCheckMeasurement.uuid, PLXContinuousMeasurement.uuid: .oxygenSaturation
        case HeartRateMeasurement.uuid: .heartRate
        default: nil
        }
    }

    /// Creates a measurement from the decoded fields of a record.
    /// - Parameter uuid: the characteristic, which decides the kind; the fields do if it is nil or unknown.
    static func measurement(
        of fields: [String: FieldNode], _ uuid: BluetoothUUID?, isStored: Bool
    ) throws(ReadingProblem) -> HealthMeasurement {
        // A body composition has a weight too.
        let composition: ReadingKind? = fields["bodyFatPercentage"] == nil ? nil : .bodyComposition
        // Other assigned characteristics have fields of the same names: a room's temperature, a cuff pressure during
        // the measurement.
        let isOther = uuid.map { kind(of: $0) == nil && AssignedNumbers.entry(of: $0)?.isStandard == true } ?? false
        var measurement = HealthMeasurement(kind: kind(of: uuid) ?? (isOther ? nil : composition) ?? .other)
        measurement.isFromFields = true
        measurement.isGlucoseContext = uuid == GlucoseMeasurementContext.uuid
        func add(_ name: String, _ node: FieldNode, _ field: String) throws(ReadingProblem) {
            do {
                measurement.quantities.append(try quantity(name, node, field: field, isStored: isStored))
            } catch {
                guard isStored else { throw error }
                measurement.reservation = error.description
                measurement.quantities.append(
                    Quantity(name, node.number, text: node["value"]?.text, unit: node["unit"]?.text ?? ""))
            }
        }
        for (field, kind, name) in known {
            guard let node = fields[field] else { continue }
            if measurement.kind == .other, !isOther { measurement.kind = kind }
            try add(name, node, field)
        }
        if let node = fields["pulseRate"] { try add("pulseRate", node, "pulseRate") }
        measurement.reserve(fields)
        if measurement.reservation == nil, !isOther, let problem = measurement.impossibility {
            guard isStored else { throw ReadingProblem("fields: " + problem) }
            measurement.reservation = problem
        }
        measurement.reservation = measurement.reservation ?? measurement.failure
        for name in ["userID", "user"] {
            if let index = try integer(fields[name], 0...255, name, isStored), index != 255 {
                measurement.userIndex = index
            }
        }
        for name in ["sequenceNumber", "number"] {
            if let number = try integer(fields[name], 0...Int(Int32.max), name, isStored) {
                measurement.sequenceNumber = number
            }
        }
        for name in ["timeStamp", "baseTime", "time"] {
            if let time = fields[name]?.text.flatMap(DateTime.init(text:)) { measurement.deviceTime = time }
        }
        if case .flag(true) = fields["deviceClockIsNotSet"] { measurement.isClockUnset = true }
        // In minutes. It numbers the records of a continuous monitor, and may be negative in those of a meter.
        if let offset = try integer(fields["timeOffset"], -32768...65535, "timeOffset", isStored) {
            if measurement.kind == .continuousGlucose {
                measurement.sequenceNumber = offset
            } else if measurement.kind == .glucose {
                measurement.deviceTime = measurement.deviceTime?.adding(seconds: Int64(offset) * 60)
            }
        }
        return measurement
    }

    private static func integer(
        _ node: FieldNode?, _ range: ClosedRange<Int>, _ field: String, _ isStored: Bool
    ) throws(ReadingProblem) -> Int? {
        guard let number = node?.number else { return nil }
        if number >= Decimal(range.lowerBound), number <= Decimal(range.upperBound) {
            let integer = NSDecimalNumber(decimal: number).intValue
            if Decimal(integer) == number { return integer }
        }
        if isStored { return nil }
        throw ReadingProblem("fields.\(field) is not an integer from \(range.lowerBound) to \(range.upperBound)")
    }

    /// The reasons of FHIR for an absent value (code system data-absent-reason).
    static let absentReasons: Set<String> = [
        "unknown", "asked-unknown", "temp-unknown", "not-asked", "asked-declined", "masked", "not-applicable",
        "unsupported", "as-text", "error", "not-a-number", "negative-infinity", "positive-infinity", "not-performed",
        "not-permitted",
    ]

    /// The names of special values: those of the decoder, and the reasons of FHIR for an absent value.
    private static let specials = Set(ProfileNumber.Special.allCases.map(\.rawValue)).union(absentReasons)

    /// Returns true for the name of a special value. Only these are stored, and shown in tables.
    static func isSpecial(_ name: String) -> Bool { specials.contains(name) }

    private static func quantity(
        _ name: String, _ node: FieldNode, field: String, isStored: Bool
    ) throws(ReadingProblem) -> Quantity {
        let sent = node["unit"]?.text
        if !isStored, sent == nil, let unit = node["unit"], unit != .null {
            throw ReadingProblem("fields.\(field): the unit is not a text")
        }
        if let sent, let problem = QuantityUnit.problem(sent, of: name) {
            throw ReadingProblem("fields.\(field): \(problem)")
        }
        let digits = node["value"] ?? node
        guard let number = node.number else {
            let sentSpecial = node["special"].flatMap { $0 == .null ? nil : $0 }
            let special = sentSpecial?.text ?? digits.text ?? "NaN"
            if !isStored, let sentSpecial, sentSpecial.text.map(Self.isSpecial) != true {
                throw ReadingProblem(
                    "fields.\(field): special is not a special value such as NaN: "
                        + "'\((sentSpecial.text ?? "").prefix(64))'")
            }
            let isSpecial =
                sentSpecial != nil || digits == .null
                || digits.text.flatMap(ProfileNumber.Special.init(rawValue:)) != nil
            guard isSpecial else {
                throw ReadingProblem(
                    "fields.\(field) is not a number" + (digits.text.map { ": '\($0.prefix(64))'" } ?? ""))
            }
            return Quantity(name, nil, text: special, unit: sent ?? QuantityUnit.standard(name) ?? "")
        }
        guard let unit = sent ?? QuantityUnit.standard(name),
            let converted = QuantityUnit.converted(number, unit, of: name)
        else { throw ReadingProblem("fields.\(field) has no unit") }
        // Text keeps the digits that a JSON number loses: 6.10.
        return Quantity(
            name, converted.value, text: converted.unit == sent ? digits.text : nil, unit: converted.unit)
    }
}
