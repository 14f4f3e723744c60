import BluetoothModel
import BluetoothProfiles
import Foundation

/// Measurements from the octets of a characteristic.
extension HealthMeasurement {
    /// Returns nil for a characteristic that is not a measurement. A time that is out of range is unknown: the clock of
    /// the device was never set.
    static func decode(_ bytes: [UInt8], _ uuid: BluetoothUUID) throws(ReadingProblem) -> [HealthMeasurement]? {
        do throws(ValueError) {
            return try measurements(bytes, uuid)
        } catch {
            guard let bytes = Profiles.withUnknownTimes(bytes, uuid: uuid),
                let measurements = try? measurements(bytes, uuid)
            else { throw ReadingProblem("hex: \(error)") }
            return measurements
        }
    }

    private static func measurements(
        _ bytes: [UInt8], _ uuid: BluetoothUUID
    ) throws(ValueError) -> [HealthMeasurement]? {
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
            measurement.isClockUnset = value.isClockUnset
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
    }

    private static func glucose(_ value: GlucoseMeasurement) throws(ValueError) -> HealthMeasurement {
        var measurement = HealthMeasurement(kind: .glucose)
        if let (number, unit) = value.usualConcentration {
            measurement.quantities = [Quantity("glucose", number, unit)]
        }
        measurement.sequenceNumber = Int(value.sequenceNumber)
        measurement.deviceTime = value.baseTime
        // Overrun and underrun are no offsets (Glucose Service 1.0.1, 3.1.1.4).
        // A date that does not exist stays one: the hub ignores it.
        if let offset = value.timeOffset, value.timeOffsetSpecial == nil, value.baseTime.isValid {
            measurement.deviceTime = value.baseTime.adding(seconds: Int64(offset) * 60)
        }
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
        // 140 instead of 1.4E+2. The exponent of a FLOAT may have up to 127 zeros.
        let isWhole = number.exact.map { (1...7).contains($0.exponent) } ?? false
        let text = isWhole ? decimal.map { "\($0)" } : nil
        self.init(name, decimal, text: text ?? number.description, unit: unit.symbol)
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
