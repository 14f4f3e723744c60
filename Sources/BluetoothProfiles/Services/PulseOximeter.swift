import BluetoothModel

/// How a measurement of oxygen went (Pulse Oximeter Service 1.0.1, 3.2.1.4).
public struct OximetryStatus: NamedBits {
    /// The number.
    public var rawValue: UInt16
    /// A value from its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// What the bits stand for, from the lowest.
    public static let names = [
        "", "", "", "", "", "measurementOngoing", "earlyEstimatedData", "validatedData", "fullyQualifiedData",
        "dataFromMeasurementStorage", "dataForDemonstration", "dataForTesting", "calibrationOngoing",
        "measurementUnavailable", "questionableMeasurementDetected", "invalidMeasurementDetected",
    ]
    /// The data come from the store.
    public static let fromStorage = OximetryStatus(rawValue: 1 << 9)
    /// The data are as good as they can be.
    public static let fullyQualified = OximetryStatus(rawValue: 1 << 8)
}

/// How an oximeter and its sensor are (Pulse Oximeter Service 1.0.1, 3.2.1.5).
public struct OximeterStatus: NamedBits {
    /// The number.
    public var rawValue: UInt32
    /// A value from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// What the bits stand for, from the lowest.
    public static let names = [
        "extendedDisplayUpdateOngoing", "equipmentMalfunctionDetected", "signalProcessingIrregularityDetected",
        "inadequateSignalDetected", "poorSignalDetected", "lowPerfusionDetected", "erraticSignalDetected",
        "nonpulsatileSignalDetected", "questionablePulseDetected", "signalAnalysisOngoing",
        "sensorInterferenceDetected",
        "sensorUnconnectedToUser", "unknownSensorConnected", "sensorDisplaced", "sensorMalfunctioning",
        "sensorDisconnected",
    ]
}

/// Oxygen in the blood, and the pulse (Pulse Oximeter Service 1.0.1, 3.2).
public struct Oximetry: FieldGroup {
    /// Percent of the haemoglobin that carries oxygen.
    public var spO2: ProfileNumber = 0
    /// Beats per minute.
    public var pulseRate: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// Both numbers.
    public init(spO2: ProfileNumber, pulseRate: ProfileNumber) { (self.spO2, self.pulseRate) = (spO2, pulseRate) }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try code(&coder, suffix: "") }
    mutating func code(_ coder: inout FieldCoder, suffix: String) throws(ValueError) {
        try coder.number("spO2" + suffix, &spO2, .sfloat, unit: .percent)
        try coder.number("pulseRate" + suffix, &pulseRate, .sfloat, unit: .beatsPerMinute)
    }
}

/// One measurement (Pulse Oximeter Service 1.0.1, 3.2).
public struct PLXSpotCheckMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A5E"
    /// Oxygen and pulse.
    public var oximetry = Oximetry()
    /// When it was taken.
    public var timeStamp: DateTime?
    /// How it went.
    public var measurementStatus: OximetryStatus?
    /// How device and sensor are.
    public var deviceAndSensorStatus: OximeterStatus?
    /// How strong the pulse is, in percent.
    public var pulseAmplitudeIndex: ProfileNumber?
    /// Whether the clock was never set, and the time stamp therefore means nothing.
    public var isClockUnset = false
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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

/// A measurement that goes on (Pulse Oximeter Service 1.0.1, 3.3).
public struct PLXContinuousMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A5F"

    /// Averaged over a short time.
    public struct Fast: FieldGroup {
        /// Oxygen and pulse.
        public var oximetry = Oximetry()
        /// Nothing is set yet.
        public init() {}
        /// Names the fields.
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try oximetry.code(&coder, suffix: "Fast")
        }
    }

    /// Averaged over a long time.
    public struct Slow: FieldGroup {
        /// Oxygen and pulse.
        public var oximetry = Oximetry()
        /// Nothing is set yet.
        public init() {}
        /// Names the fields.
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try oximetry.code(&coder, suffix: "Slow")
        }
    }

    /// Oxygen and pulse, averaged as usual.
    public var oximetry = Oximetry()
    /// Averaged over a short time.
    public var fast: Fast?
    /// Averaged over a long time.
    public var slow: Slow?
    /// How it goes.
    public var measurementStatus: OximetryStatus?
    /// How device and sensor are.
    public var deviceAndSensorStatus: OximeterStatus?
    /// How strong the pulse is, in percent.
    public var pulseAmplitudeIndex: ProfileNumber?
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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

/// What an oximeter can do (Pulse Oximeter Service 1.0.1, 3.4).
public struct PLXFeatures: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A60"

    /// Abilities.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt16
        /// A value from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "measurementStatus", "deviceAndSensorStatus", "measurementStorage", "timeStamp", "spO2PRFast", "spO2PRSlow",
            "pulseAmplitudeIndex", "multipleBonds",
        ]
        /// Measurements are stored.
        public static let measurementStorage = Features(rawValue: 4)
    }

    /// What it can do.
    public var features: Features = []
    /// Which bits of the measurement status it may set; there where the lowest feature is.
    public var measurementStatusSupport: OximetryStatus = []
    /// Which bits of the device and sensor status it may set; there where the second feature is.
    public var deviceAndSensorStatusSupport: OximeterStatus = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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
