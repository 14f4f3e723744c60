#if Programs
import Foundation

extension HealthMeasurement {
    static let irregularPulse = "irregular pulse"
    static let controlSolution = "control solution"
    static let unsuccessful = "the measurement was unsuccessful"

    /// True if a control solution was measured, which is a check of the meter and no value of a person.
    package var isControlSolution: Bool { qualifiers.contains(Self.controlSolution) }

    /// True if the measurement counts in means and statistics: nothing speaks against judging it.
    package var isCounted: Bool { reservation == nil }

    /// The reason why no person can have the values; nil if they are possible.
    var impossibility: String? {
        for quantity in quantities {
            if let problem = QuantityUnit.problem(quantity) { return problem }
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
            // Bits 0, 2, 3 and 5: stopped session, wrong sensor, malfunction, fault of the device (Continuous Glucose
            // Monitoring Service 1.0.2, 3.1.1.5).
            if status & 0x2D != 0 { reservation = "the monitor reports a stopped session or a fault" }
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
        case .weight, .bodyComposition:
            let main = kind == .weight ? "weight" : "bodyFat"
            if let value = self[main], value.value == nil, ["NaN", "not-a-number"].contains(value.text) {
                reservation = Self.unsuccessful
            }
        default: break
        }
    }
}
#endif
