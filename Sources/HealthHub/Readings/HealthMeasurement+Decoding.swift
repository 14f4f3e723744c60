#if Programs
import BluetoothModel
import BluetoothProfiles
import Foundation

/// The reason why a submitted reading is refused.
package struct ReadingProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, with advice.
    package var description: String
    /// Creates a problem with this reason.
    package init(_ description: String) { self.description = description }
}

extension HealthMeasurement {
    /// Decodes the measurements of a reading: one, or one for each record of a continuous glucose monitor. Values that
    /// no person can have are refused in fields; in octets, which a device sent, they are not judged.
    /// - Parameter isStored: true for a reading that the store, or another hub, has accepted: nothing in its fields is
    ///   refused, but the measurement has a reservation.
    /// - Throws: ``ReadingProblem`` for bytes or fields that are no measurement.
    package static func decode(
        _ reading: SubmittedReading, isStored: Bool = false
    ) throws(ReadingProblem) -> [HealthMeasurement] {
        let uuid = try uuid(of: reading)
        if let hex = reading.hex {
            guard let bytes = bytes(hex) else {
                throw ReadingProblem("hex is not a hexadecimal number of whole octets, 512 at most")
            }
            if let uuid, var measurements = try decode(bytes, uuid) {
                for index in measurements.indices where measurements[index].reservation == nil {
                    measurements[index].reservation = measurements[index].impossibility ?? measurements[index].failure
                }
                return measurements
            }
        }
        guard reading.fields != nil else {
            throw ReadingProblem(
                reading.hex == nil
                    ? "hex or fields are required" : "the characteristic is not a known measurement; send fields too")
        }
        var measurements: [HealthMeasurement] = []
        for record in try records(of: reading, isStored: isStored) {
            measurements.append(try measurement(of: record, uuid, isStored: isStored))
        }
        return measurements
    }

    /// Returns the fields of each record. Only the value of a continuous glucose monitor has several.
    /// - Parameter isStored: true if a list that is no list of records is returned as it is.
    /// - Throws: ``ReadingProblem`` for a list that is no list of records.
    static func records(
        of reading: SubmittedReading, isStored: Bool = false
    ) throws(ReadingProblem) -> [[String: FieldNode]] {
        var fields = reading.fields ?? [:]
        guard let node = fields["cgmMeasurement"] else { return [fields] }
        // A record has at least six octets, a value at most 512.
        guard case .list(let list) = node, (1...85).contains(list.count) else {
            if isStored { return [fields] }
            throw ReadingProblem("fields.cgmMeasurement is not a list of 1 to 85 records")
        }
        // Fields beside the list are those of each record.
        fields["cgmMeasurement"] = nil
        var records: [[String: FieldNode]] = []
        for node in list {
            guard case .object(let record) = node else {
                if isStored { return [reading.fields ?? [:]] }
                throw ReadingProblem("fields.cgmMeasurement has an element that is not an object")
            }
            records.append(record.merging(fields) { own, _ in own })
        }
        return records
    }

    private static func uuid(of reading: SubmittedReading) throws(ReadingProblem) -> BluetoothUUID? {
        guard let text = reading.characteristic else { return nil }
        guard let uuid = BluetoothUUID(text) else {
            throw ReadingProblem("characteristic is not a UUID: '\(text.prefix(64))'")
        }
        return uuid
    }

    /// Returns the octets of a hexadecimal number; nil if it is invalid or has more than 512 octets. Spaces are
    /// skipped.
    package static func bytes(_ hex: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(hex.utf8.count / 2, 512))
        var high: UInt8?
        for character in hex.utf8 where character != UInt8(ascii: " ") {
            guard let digit = hexDigit(character), bytes.count < 512 else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? bytes : nil
    }

    private static func hexDigit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Returns nil for a characteristic that is not a measurement.
    private static func decode(_ bytes: [UInt8], _ uuid: BluetoothUUID) throws(ReadingProblem) -> [HealthMeasurement]? {
        do throws(ValueError) {
            switch uuid {
            case BloodPressureMeasurement.uuid: return [HealthMeasurement(try BloodPressureMeasurement(bytes: bytes))]
            case GlucoseMeasurement.uuid: return [try glucose(GlucoseMeasurement(bytes: bytes))]
            case GlucoseMeasurementContext.uuid:
                let value = try GlucoseMeasurementContext(bytes: bytes)
                var measurement = HealthMeasurement(kind: .other)
                measurement.isGlucoseContext = true
                measurement.sequenceNumber = Int(value.sequenceNumber)
                measurement.qualifiers = [value.meal?.name, value.carbohydrates?.kind.name].compactMap { $0 }
                return [measurement]
            case CGMMeasurement.uuid:
                return try CGMMeasurement(bytes: bytes).records.map { record in
                    var measurement = HealthMeasurement(
                        kind: .continuousGlucose,
                        quantities: [Quantity("glucose", record.glucoseConcentration, .milligramsPerDecilitre)])
                    measurement.sequenceNumber = Int(record.timeOffset)
                    measurement.reserve(.continuousGlucose, status: record.sensorStatusAnnunciation.rawValue)
                    return measurement
                }
            case WeightMeasurement.uuid: return [HealthMeasurement(try WeightMeasurement(bytes: bytes))]
            case BodyCompositionMeasurement.uuid:
                return [HealthMeasurement(try BodyCompositionMeasurement(bytes: bytes))]
            case TemperatureMeasurement.uuid: return [HealthMeasurement(try TemperatureMeasurement(bytes: bytes))]
            case PLXSpotCheckMeasurement.uuid:
                let value = try PLXSpotCheckMeasurement(bytes: bytes)
                var measurement = HealthMeasurement(value.oximetry, value.timeStamp)
                measurement.reserve(.oxygenSaturation, status: UInt32(value.measurementStatus?.rawValue ?? 0))
                measurement.reserveOximetry(sensor: value.deviceAndSensorStatus?.rawValue ?? 0)
                return [measurement]
            case PLXContinuousMeasurement.uuid:
                let value = try PLXContinuousMeasurement(bytes: bytes)
                var measurement = HealthMeasurement(value.oximetry, nil)
                measurement.reserve(.oxygenSaturation, status: UInt32(value.measurementStatus?.rawValue ?? 0))
                measurement.reserveOximetry(sensor: value.deviceAndSensorStatus?.rawValue ?? 0)
                return [measurement]
            case HeartRateMeasurement.uuid:
                let value = try HeartRateMeasurement(bytes: bytes)
                var measurement = HealthMeasurement(
                    kind: .heartRate, quantities: [Quantity("heartRate", Decimal(value.rate), unit: "bpm")])
                measurement.reserveHeartRate(contact: UInt32(value.sensorContact.rawValue))
                return [measurement]
            default: return nil
            }
        } catch {
            throw ReadingProblem("hex: \(error)")
        }
    }

    private static func glucose(_ value: GlucoseMeasurement) throws(ValueError) -> HealthMeasurement {
        var measurement = HealthMeasurement(kind: .glucose)
        if let (number, unit) = value.usualConcentration {
            measurement.quantities = [Quantity("glucose", number, unit)]
        }
        measurement.sequenceNumber = Int(value.sequenceNumber)
        measurement.deviceTime = value.baseTime
        if let offset = value.timeOffset { measurement.deviceTime = value.baseTime.adding(seconds: Int64(offset) * 60) }
        if value.concentration != nil {
            measurement.qualifiers = [value.type.name].compactMap { $0 }
            measurement.reserve(.glucose, status: UInt32(value.sensorStatusAnnunciation?.rawValue ?? 0))
            // 10 is a control solution as the fluid, 4 as the location (Glucose Service 1.0.1, 3.1.1.5 and 3.1.1.6).
            if value.type.rawValue == 10 || value.sampleLocation.rawValue == 4 { measurement.reserveControlSolution() }
        } else {
            measurement.reservation = "the record has no concentration"
        }
        return measurement
    }
}

extension Quantity {
    fileprivate init(_ name: String, _ number: ProfileNumber, _ unit: GATTUnit) {
        let decimal = number.exact.map { exact in
            Decimal(
                sign: exact.mantissa < 0 ? .minus : .plus, exponent: exact.exponent,
                significand: Decimal(exact.mantissa.magnitude))
        }
        self.init(name, decimal, text: number.description, unit: unit.symbol)
    }
}

extension HealthMeasurement {
    /// Converts a user index; 255 means an unknown user (Blood Pressure Service 1.1.1, 3.1.1.6).
    private static func user(_ index: UInt8?) -> Int? { index == 255 ? nil : index.map(Int.init) }

    fileprivate init(_ value: BloodPressureMeasurement) {
        let unit = value.isKilopascals ? GATTUnit.kilopascals : .mmHg
        self.init(
            kind: .bloodPressure,
            quantities: [
                Quantity("systolic", value.systolic, unit), Quantity("diastolic", value.diastolic, unit),
                Quantity("meanArterialPressure", value.meanArterialPressure, unit),
            ])
        if let pulse = value.pulseRate { quantities.append(Quantity("pulseRate", pulse, .beatsPerMinute)) }
        userIndex = Self.user(value.userID)
        deviceTime = value.timeStamp
        if let status = value.measurementStatus {
            if status.contains(.irregularPulse) { qualifiers.append(Self.irregularPulse) }
            reserve(.bloodPressure, status: UInt32(status.rawValue))
        }
    }

    fileprivate init(_ value: WeightMeasurement) {
        self.init(
            kind: .weight, quantities: [Quantity("weight", value.weight, value.isImperial ? .pounds : .kilograms)])
        if let body = value.bodyMassIndex {
            quantities.append(Quantity("bmi", body.index, .kilogramsPerSquareMetre))
            quantities.append(Quantity("height", body.height, value.isImperial ? .inches : .metres))
        }
        userIndex = Self.user(value.userID)
        deviceTime = value.timeStamp
    }

    fileprivate init(_ value: BodyCompositionMeasurement) {
        self.init(kind: .bodyComposition)
        if let weight = value.weight {
            quantities.append(Quantity("weight", weight, value.isImperial ? .pounds : .kilograms))
        }
        quantities.append(Quantity("bodyFat", value.bodyFatPercentage, .percent))
        userIndex = Self.user(value.userID)
        deviceTime = value.timeStamp
    }

    fileprivate init(_ value: TemperatureMeasurement) {
        self.init(
            kind: .temperature,
            quantities: [Quantity("temperature", value.temperature, value.isFahrenheit ? .fahrenheit : .celsius)])
        deviceTime = value.timeStamp
        qualifiers = [value.temperatureType?.name].compactMap { $0 }
    }

    fileprivate init(_ value: Oximetry, _ time: DateTime?) {
        self.init(
            kind: .oxygenSaturation,
            quantities: [
                Quantity("spO2", value.spO2, .percent), Quantity("pulseRate", value.pulseRate, .beatsPerMinute),
            ])
        deviceTime = time
    }
}

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
    fileprivate static func measurement(
        of fields: [String: FieldNode], _ uuid: BluetoothUUID?, isStored: Bool
    ) throws(ReadingProblem) -> HealthMeasurement {
        // A body composition has a weight too.
        let composition: ReadingKind? = fields["bodyFatPercentage"] == nil ? nil : .bodyComposition
        var measurement = HealthMeasurement(kind: kind(of: uuid) ?? composition ?? .other)
        measurement.isFromFields = true
        measurement.isGlucoseContext = uuid == GlucoseMeasurementContext.uuid
        func add(_ name: String, _ node: FieldNode, _ field: String) throws(ReadingProblem) {
            do {
                measurement.quantities.append(try quantity(name, node, field: field))
            } catch {
                guard isStored else { throw error }
                measurement.reservation = error.description
                measurement.quantities.append(
                    Quantity(name, node.number, text: node["value"]?.text, unit: node["unit"]?.text ?? ""))
            }
        }
        for (field, kind, name) in known {
            guard let node = fields[field] else { continue }
            if measurement.kind == .other { measurement.kind = kind }
            try add(name, node, field)
        }
        if let node = fields["pulseRate"] { try add("pulseRate", node, "pulseRate") }
        measurement.reserve(fields)
        if measurement.reservation == nil, let problem = measurement.impossibility {
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

    private static func quantity(
        _ name: String, _ node: FieldNode, field: String
    ) throws(ReadingProblem) -> Quantity {
        let sent = node["unit"]?.text
        if let sent, let problem = QuantityUnit.problem(sent, of: name) {
            throw ReadingProblem("fields.\(field): \(problem)")
        }
        let digits = node["value"] ?? node
        guard let number = node.number else {
            let special = node["special"]?.text ?? digits.text ?? "NaN"
            let isSpecial =
                node["special"] != nil || digits == .null
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

extension DateTime {
    /// Parses a time on a device's clock, such as "2026-11-21T08:00:00", "2026-11-21 08:00:00.000" or
    /// "2026-11-21T08:00"; a fraction and a time zone are ignored. Nil for a date that does not exist, and for years
    /// outside 1582 to 9999, the range of the Date Time characteristic (2A08).
    package init?(text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        func split(_ length: Int) -> [Substring] {
            text.prefix(length).split(whereSeparator: { "-Tt: ".contains($0) })
        }
        var parts = split(16)
        // Without seconds, a time zone may follow.
        let hasSeconds = parts.count != 5 || text.dropFirst(16).first.map { !"Zz+-".contains($0) } ?? false
        parts = hasSeconds ? split(19) : parts + ["0"]
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = UInt16(parts[0]), let month = UInt8(parts[1]), let day = UInt8(parts[2]),
            let hour = UInt8(parts[3]), let minute = UInt8(parts[4]), let second = UInt8(parts[5]),
            (1582...9999).contains(year), (1...12).contains(month), day > 0, hour < 24, minute < 60, second < 60
        else { return nil }
        self.init(year, month, day, hour, minute, second)
        // A day that the month does not have would be one of the next month.
        guard let seconds = secondsSince2000, DateTime(secondsSince2000: seconds) == self else { return nil }
    }
}
#endif
