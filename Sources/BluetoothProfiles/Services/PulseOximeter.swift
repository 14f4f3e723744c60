import BluetoothModel

/// The status of an oximetry measurement (Pulse Oximeter Service 1.0.1, 3.2.1.4).
public struct OximetryStatus: NamedBits {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let names = [
        "", "", "", "", "", "measurementOngoing", "earlyEstimatedData", "validatedData", "fullyQualifiedData",
        "dataFromMeasurementStorage", "dataForDemonstration", "dataForTesting", "calibrationOngoing",
        "measurementUnavailable", "questionableMeasurementDetected", "invalidMeasurementDetected",
    ]
    /// The data are from the measurement storage.
    public static let fromStorage = OximetryStatus(rawValue: 1 << 9)
    /// The data are fully qualified.
    public static let fullyQualified = OximetryStatus(rawValue: 1 << 8)
}

/// The status of an oximeter and its sensor (Pulse Oximeter Service 1.0.1, 3.2.1.5).
public struct OximeterStatus: NamedBits {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let names = [
        "extendedDisplayUpdateOngoing", "equipmentMalfunctionDetected", "signalProcessingIrregularityDetected",
        "inadequateSignalDetected", "poorSignalDetected", "lowPerfusionDetected", "erraticSignalDetected",
        "nonpulsatileSignalDetected", "questionablePulseDetected", "signalAnalysisOngoing",
        "sensorInterferenceDetected",
        "sensorUnconnectedToUser", "unknownSensorConnected", "sensorDisplaced", "sensorMalfunctioning",
        "sensorDisconnected",
    ]
}

/// The oxygen saturation and the pulse rate (Pulse Oximeter Service 1.0.1, 3.2).
public struct Oximetry: FieldGroup {
    public static let forms: [String: FieldForm] = [
        "spO2": FieldForm("SpO2"), "spO2Fast": FieldForm("SpO2 fast"), "spO2Slow": FieldForm("SpO2 slow"),
    ]
    /// The oxygen saturation in percent.
    public var spO2: ProfileNumber = 0
    /// The pulse rate in beats per minute.
    public var pulseRate: ProfileNumber = 0
    public init() {}
    /// Creates a value from both numbers.
    public init(spO2: ProfileNumber, pulseRate: ProfileNumber) { (self.spO2, self.pulseRate) = (spO2, pulseRate) }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try code(&coder, suffix: "") }
    mutating func code(_ coder: inout FieldCoder, suffix: String) throws(ValueError) {
        try coder.number("spO2" + suffix, &spO2, .sfloat, unit: .percent)
        try coder.number("pulseRate" + suffix, &pulseRate, .sfloat, unit: .beatsPerMinute)
    }
}

/// The PLX Spot-Check Measurement characteristic (Pulse Oximeter Service 1.0.1, 3.2).
public struct PLXSpotCheckMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A5E"
    public static let forms = Oximetry.forms
    /// The oxygen saturation and the pulse rate.
    public var oximetry = Oximetry()
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The measurement status.
    public var measurementStatus: OximetryStatus?
    /// The status of the device and the sensor.
    public var deviceAndSensorStatus: OximeterStatus?
    /// The pulse amplitude index in percent.
    public var pulseAmplitudeIndex: ProfileNumber?
    /// True if the device's clock was never set, so the time stamp is invalid.
    public var isClockUnset = false
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x1F, &reserved)
        try oximetry.code(&coder)
        try coder.time("timeStamp", &timeStamp, bit: 0)
        try coder.bits("measurementStatus", &measurementStatus, .uint16, bit: 1)
        try coder.bits("deviceAndSensorStatus", &deviceAndSensorStatus, .uint24, bit: 2)
        try coder.number("pulseAmplitudeIndex", &pulseAmplitudeIndex, .sfloat, unit: .percent, bit: 3)
        isClockUnset = coder.flag(4, when: isClockUnset)
        if isClockUnset { coder.describe("deviceClockIsNotSet", .flag(true)) }
        coder.rest(&reserved)
    }
}

/// The PLX Continuous Measurement characteristic (Pulse Oximeter Service 1.0.1, 3.3).
public struct PLXContinuousMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A5F"
    public static let forms = Oximetry.forms

    /// An average over a short time.
    public struct Fast: FieldGroup {
        /// The oxygen saturation and the pulse rate.
        public var oximetry = Oximetry()
        public init() {}
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try oximetry.code(&coder, suffix: "Fast")
        }
    }

    /// An average over a long time.
    public struct Slow: FieldGroup {
        /// The oxygen saturation and the pulse rate.
        public var oximetry = Oximetry()
        public init() {}
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try oximetry.code(&coder, suffix: "Slow")
        }
    }

    /// The oxygen saturation and the pulse rate, with normal averaging.
    public var oximetry = Oximetry()
    /// The average over a short time.
    public var fast: Fast?
    /// The average over a long time.
    public var slow: Slow?
    /// The measurement status.
    public var measurementStatus: OximetryStatus?
    /// The status of the device and the sensor.
    public var deviceAndSensorStatus: OximeterStatus?
    /// The pulse amplitude index in percent.
    public var pulseAmplitudeIndex: ProfileNumber?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x1F, &reserved)
        try oximetry.code(&coder)
        try coder.group(&fast, bit: 0)
        try coder.group(&slow, bit: 1)
        try coder.bits("measurementStatus", &measurementStatus, .uint16, bit: 2)
        try coder.bits("deviceAndSensorStatus", &deviceAndSensorStatus, .uint24, bit: 3)
        try coder.number("pulseAmplitudeIndex", &pulseAmplitudeIndex, .sfloat, unit: .percent, bit: 4)
        coder.rest(&reserved)
    }
}

/// The features of a pulse oximeter (Pulse Oximeter Service 1.0.1, 3.4).
public struct PLXFeatures: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A60"

    /// Feature bits.
    public struct Features: NamedBits {
        public var rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let names = [
            "measurementStatus", "deviceAndSensorStatus", "measurementStorage", "timeStamp", "spO2PRFast", "spO2PRSlow",
            "pulseAmplitudeIndex", "multipleBonds",
        ]
        /// The device stores measurements.
        public static let measurementStorage = Features(rawValue: 4)
    }

    /// The supported features.
    public var features: Features = []
    /// The bits of the measurement status that the device supports. Present if bit 0 of ``features`` is set.
    public var measurementStatusSupport: OximetryStatus = []
    /// The bits of the device and sensor status that the device supports. Present if bit 1 of ``features`` is set.
    public var deviceAndSensorStatusSupport: OximeterStatus = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("supportedFeatures", &features, .uint16)
        if features.rawValue & 1 != 0 {
            try coder.bits("measurementStatusSupport", &measurementStatusSupport, .uint16)
        }
        if features.rawValue & 2 != 0 {
            try coder.bits("deviceAndSensorStatusSupport", &deviceAndSensorStatusSupport, .uint24)
        }
    }
}
