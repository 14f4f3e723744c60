import Foundation

extension HealthMeasurement {
    static let irregularPulse = "irregular pulse"
    static let controlSolution = "control solution"
    static let enteredInError = "its sender has marked it as entered in error"
    static let unsuccessful = "the measurement was unsuccessful"

    /// True if a control solution was measured, which is a check of the meter and no value of a person.
    package var isControlSolution: Bool { qualifiers.contains(Self.controlSolution) }

    /// True if the measurement counts in means and statistics: no reservation excludes it from judgement.
    package var isCounted: Bool { reservation == nil }

    /// The reason why the measurement failed: a main quantity is no number, or there is none; nil if it succeeded.
    var failure: String? {
        for name in kind.mainQuantities {
            guard let quantity = self[name], quantity.value == nil else { continue }
            let isFailed = ["NaN", "not-a-number"].contains(quantity.text)
            return isFailed ? Self.unsuccessful : "\(name) is \(quantity.text.prefix(32))"
        }
        // A body mass index may be sent without a weight. A pulse alone is no measurement of pressure or saturation.
        let names = kind.storedQuantities.filter { $0 != "pulseRate" }
        if let first = kind.mainQuantities.first, names.allSatisfy({ self[$0]?.isUnknown ?? true }) {
            return "\(first) is missing"
        }
        return nil
    }

    /// The reason why no person can have the values; nil if they are possible.
    var impossibility: String? {
        for quantity in quantities {
            if let problem = QuantityUnit.problem(quantity) { return problem }
        }
        if let systolic = self["systolic"], let diastolic = self["diastolic"],
            let upper = systolic.canonical, let lower = diastolic.canonical, upper < lower
        {
            return "systolic (\(systolic.text.prefix(32)) \(systolic.unit)) is below diastolic "
                + "(\(diastolic.text.prefix(32)) \(diastolic.unit))"
        }
        return nil
    }

    /// Marks a control solution.
    mutating func reserveControlSolution() {
        reservation = "a control solution was measured, not blood"
        qualifiers = [Self.controlSolution]
    }

    /// Sets the reservation for status bits after which a value must not be judged.
    mutating func reserve(_ kind: ReadingKind, status: UInt32) {
        guard status != 0 else { return }
        switch kind {
        case .bloodPressure:
            // Bits 0, 1 and 5: body movement, loose cuff, improper position (Blood Pressure Service 1.1.1, 3.1.1.7).
            if status & 0x23 != 0 {
                reservation = "the device reports body movement, a loose cuff or an improper position"
            }
        case .glucose:
            // Bits 1 to 4: sensor, sample size and strip; 7 to 10: temperature, interruption and fault of the device
            // (Glucose Service 1.0.1, 3.1.1.7).
            if status & 0x079E != 0 { reservation = "the meter reports a fault of the measurement" }
        case .continuousGlucose:
            // Bits 0, 2, 3 and 5: stopped session, wrong sensor, malfunction, fault of the device; 12 and 13: a
            // temperature of the sensor without a valid result (Continuous Glucose Monitoring Service 1.0.2, 3.1.1.5).
            if status & 0x302D != 0 { reservation = "the monitor reports a stopped session or a fault" }
        case .oxygenSaturation:
            // Bits 10 to 15: demonstration, test, calibration, unavailable, questionable or invalid (Pulse Oximeter
            // Service 1.0.1, 3.2.1.4).
            if status & 0xFC00 != 0 {
                reservation = "the oximeter reports a test, or a questionable or invalid measurement"
            }
        default: break
        }
    }

    /// Sets the reservation for bits of the device and sensor status of an oximeter.
    mutating func reserveOximetry(sensor status: UInt32) {
        // Bits 1, 3, 11 and 13 to 15: malfunction, inadequate signal, sensor not at the person (Pulse Oximeter Service
        // 1.0.1, 3.2.1.5).
        if status & 0xE80A != 0 { reservation = "the oximeter reports a fault, or a sensor that is not in place" }
    }

    /// Sets the reservation for a heart rate without contact of the sensor (Heart Rate Service 1.0, 3.1.1.1.2).
    /// - Parameter status: the Sensor Contact Status: 2 for a sensor without contact.
    mutating func reserveHeartRate(contact status: UInt32) {
        if status == 2 { reservation = "the heart rate sensor reports no contact with the skin" }
        if self["heartRate"]?.value == 0 { reservation = "the heart rate sensor reports no heartbeat" }
    }

    /// The field with the reservation of a reading whose status was not sent, such as one from another hub.
    static let reservationField = "reservation"

    /// Sets the reservation for decoded fields, as the octets would.
    mutating func reserve(_ fields: [String: FieldNode]) {
        func bits(_ field: String) -> UInt32 {
            guard let number = fields[field]?.number, number > 0, number <= Decimal(UInt32.max) else { return 0 }
            return NSDecimalNumber(decimal: number).uint32Value
        }
        switch kind {
        case .bloodPressure:
            reserve(kind, status: bits("measurementStatus"))
            if bits("measurementStatus") & 4 != 0 { qualifiers.append(Self.irregularPulse) }
        case .glucose:
            let fluid = fields["type"]?["name"]?.text
            qualifiers = [fluid].compactMap { $0 }
            reserve(kind, status: bits("sensorStatusAnnunciation"))
            // In fields as in octets, a control solution is fluid 10 or location 4.
            if fluid == Self.controlSolution || bits("type") == 10 || bits("sampleLocation") == 4 {
                reserveControlSolution()
            }
        case .continuousGlucose: reserve(kind, status: bits("sensorStatusAnnunciation"))
        case .oxygenSaturation:
            reserve(kind, status: bits("measurementStatus"))
            reserveOximetry(sensor: bits("deviceAndSensorStatus"))
        case .heartRate: reserveHeartRate(contact: bits("sensorContactStatus"))
        case .temperature: qualifiers = [fields["temperatureType"]?["name"]?.text].compactMap { $0 }
        case .other where isGlucoseContext: qualifiers = [fields["meal"]?["name"]?.text].compactMap { $0 }
        default: break
        }
        if let text = fields[Self.reservationField]?.text, reservation == nil { reservation = text }
    }
}
