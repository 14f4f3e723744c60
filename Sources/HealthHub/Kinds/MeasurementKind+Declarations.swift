import BluetoothProfiles
import Foundation

/// The kinds of measurements. A new one is declared and listed here.
extension MeasurementKind {
    /// All kinds, in the order in which they are shown.
    package static let allCases: [MeasurementKind] = [
        .bloodPressure, .glucose, .continuousGlucose, .weight, .bodyComposition, .temperature, .oxygenSaturation,
        .heartRate, .other,
    ]

    package static let bloodPressure = MeasurementKind(
        1, "bloodPressure", "Blood pressure", services: ["1810"], [BloodPressureMeasurement.self],
        [
            Value(.systolic), Value(.diastolic), Value(.meanArterialPressure),
            Value(
                .pulseRate, isIndicative: false,
                code: FHIRCode(149546, "MDC_PULS_RATE_NON_INV", "8867-4", "Heart rate")),
        ],
        main: ["systolic", "diastolic"], stored: ["systolic", "diastolic", "pulseRate"],
        faults: [
            // Bits 0, 1 and 5 (Blood Pressure Service 1.1.1, 3.1.1.7).
            Fault("measurementStatus", 0x23, "the device reports body movement, a loose cuff or an improper position")
        ],
        panel: FHIRCode(150020, "MDC_PRESS_BLD_NONINV", "85354-9", "Blood pressure panel with all children optional")
    ) { measurement, fields in
        // Bit 2.
        if fields.number("measurementStatus") & 4 != 0 { measurement.qualifiers.append("irregular pulse") }
    }

    package static let glucose = MeasurementKind(
        2, "glucose", "Glucose", services: ["1808"], [GlucoseMeasurement.self],
        [Value(.glucose, "glucoseConcentration", "glucose")], stored: ["glucose"], qualifiers: ["type", "meal"],
        faults: [
            // Bits 1 to 4: sensor, sample size and strip; 7 to 10: temperature, interruption and fault of the device
            // (Glucose Service 1.0.1, 3.1.1.7).
            Fault("sensorStatusAnnunciation", 0x079E, "the meter reports a fault of the measurement")
        ],
        category: "laboratory", plot: .hours
    ) { measurement, fields in
        // Bits 5 and 6: the result is too high or too low for the meter.
        measurement.mark(fields, "sensorStatusAnnunciation", above: 1 << 5, below: 1 << 6)
        // Fluid 10 or location 4 (Glucose Service 1.0.1, 3.1.1.5 and 3.1.1.6).
        guard
            measurement.isControlSolution || fields.number("type") == 10 || fields.number("sampleLocation") == 4
        else { return }
        measurement.reservation = "a control solution was measured, not blood"
        measurement.qualifiers = [HealthMeasurement.controlSolution]
    }

    package static let continuousGlucose = MeasurementKind(
        3, "continuousGlucose", "Continuous glucose", services: ["181F"], [CGMMeasurement.self],
        [Value(.glucose, "cgmGlucoseConcentration", code: FHIRCode(160212, "MDC_CONC_GLU_ISF"))], stored: ["glucose"],
        faults: [
            // Bits 0, 2, 3 and 5: stopped session, wrong sensor, malfunction, fault of the device; 12 and 13: a
            // temperature of the sensor without a valid result (Continuous Glucose Monitoring Service 1.0.2, 3.1.1.5).
            Fault("sensorStatusAnnunciation", 0x302D, "the monitor reports a stopped session or a fault")
        ], category: "laboratory", plot: .hours
    ) { measurement, fields in
        // Bits 22 and 23.
        measurement.mark(fields, "sensorStatusAnnunciation", above: 1 << 23, below: 1 << 22)
    }

    package static let weight = MeasurementKind(
        4, "weight", "Weight", services: ["181D"], [WeightMeasurement.self],
        [Value(.weight), Value(.bmi), Value(.height), Value(.bodyFat)], stored: ["weight", "bmi", "bodyFat"])

    package static let bodyComposition = MeasurementKind(
        5, "bodyComposition", "Body composition", services: ["181B"], [BodyCompositionMeasurement.self],
        [
            Value(.weight, isIndicative: false), Value(.bmi, isIndicative: false), Value(.height, isIndicative: false),
            Value(.bodyFat, "bodyFatPercentage"),
        ],
        main: ["bodyFat"],
        stored: ["weight", "bmi", "bodyFat"], plot: nil)

    package static let temperature = MeasurementKind(
        6, "temperature", "Temperature", services: ["1809"], [TemperatureMeasurement.self], [Value(.temperature)],
        stored: ["temperature"], qualifiers: ["temperatureType"])

    package static let oxygenSaturation = MeasurementKind(
        7, "oxygenSaturation", "Oxygen saturation", services: ["1822"],
        [PLXSpotCheckMeasurement.self, PLXContinuousMeasurement.self],
        [Value(.spO2), Value(.pulseRate, isIndicative: false)], stored: ["spO2", "pulseRate"],
        faults: [
            // Bits 6 and 10 to 15: early estimate, demonstration, test, calibration, unavailable, questionable or
            // invalid (Pulse Oximeter Service 1.0.1, 3.2.1.4). An ongoing measurement (bit 5) is one.
            Fault(
                "measurementStatus", 0xFC40,
                "the oximeter reports an estimate, a test, or a questionable or invalid measurement"),
            // Bits 1, 3, 11 and 13 to 15: malfunction, inadequate signal, sensor not at the person (3.2.1.5).
            Fault("deviceAndSensorStatus", 0xE80A, "the oximeter reports a fault, or a sensor that is not in place"),
        ], isStreamed: true)

    package static let heartRate = MeasurementKind(
        8, "heartRate", "Heart rate", services: ["180D"], [HeartRateMeasurement.self],
        [Value(.heartRate, "heartRateMeasurementValue")], stored: ["heartRate"], plot: nil, isStreamed: true
    ) { measurement, fields in
        // The Sensor Contact Status (Heart Rate Service 1.0, 3.1.1.1.2).
        if fields.number("sensorContactStatus") == 2 {
            measurement.reservation = "the heart rate sensor reports no contact with the skin"
        }
        if measurement["heartRate"]?.value == 0 {
            measurement.reservation = "the heart rate sensor reports no heartbeat"
        }
    }

    /// The context of a glucose measurement, and values that the hub stores but does not model.
    package static let other = MeasurementKind(
        9, "other", "Other", [GlucoseMeasurementContext.self], [], stored: [], qualifiers: ["meal", "carbohydrateID"],
        plot: nil)
}
