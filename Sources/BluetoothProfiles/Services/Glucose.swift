import BluetoothModel

/// The measured fluid (Glucose Service 1.0.1, 3.1.1.5).
public struct GlucoseFluid: NamedCode {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let names: [UInt8: String] = [
        1: "capillary whole blood", 2: "capillary plasma", 3: "venous whole blood", 4: "venous plasma",
        5: "arterial whole blood", 6: "arterial plasma", 7: "undetermined whole blood", 8: "undetermined plasma",
        9: "interstitial fluid", 10: "control solution",
    ]
    /// Whole blood from a capillary.
    public static let capillaryWholeBlood = GlucoseFluid(rawValue: 1)
    /// Interstitial fluid.
    public static let interstitialFluid = GlucoseFluid(rawValue: 9)
}

/// The location of the sample (Glucose Service 1.0.1, 3.1.1.6).
public struct GlucoseSampleLocation: NamedCode {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let names: [UInt8: String] = [
        1: "finger", 2: "alternate site test", 3: "earlobe", 4: "control solution", 5: "subcutaneous tissue",
        15: "not available",
    ]
    /// A finger.
    public static let finger = GlucoseSampleLocation(rawValue: 1)
    /// Subcutaneous tissue.
    public static let subcutaneousTissue = GlucoseSampleLocation(rawValue: 5)
}

/// The status of a glucose measurement (Glucose Service 1.0.1, 3.1.1.7).
public struct GlucoseStatus: NamedBits {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let names = [
        "deviceBatteryLow", "sensorMalfunction", "sampleSizeInsufficient", "stripInsertionError",
        "stripTypeIncorrect", "resultTooHigh", "resultTooLow", "temperatureTooHigh", "temperatureTooLow",
        "readInterrupted", "generalDeviceFault", "timeFault",
    ]
}

/// The Glucose Measurement characteristic (Glucose Service 1.0.1, 3.1).
public struct GlucoseMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A18"
    /// The sequence number of the record. Its context has the same number.
    public var sequenceNumber: UInt16 = 0
    /// The time of the measurement on the device's clock before user adjustments.
    public var baseTime = DateTime()
    /// The minutes to add to ``baseTime`` for the user-facing time. 32767 (overrun) and -32768 (underrun) are not
    /// offsets; see ``timeOffsetSpecial``.
    public var timeOffset: Int16?
    /// The glucose concentration in kg/L or mol/L; nil if absent.
    public var concentration: ProfileNumber?
    /// True if the concentration is in mol/L, false for kg/L.
    public var isMolar = false
    /// The measured fluid. Valid only with a concentration.
    public var type = GlucoseFluid(rawValue: 0)
    /// The location of the sample. Valid only with a concentration.
    public var sampleLocation = GlucoseSampleLocation(rawValue: 0)
    /// The status bits.
    public var sensorStatusAnnunciation: GlucoseStatus?
    /// True if a ``GlucoseMeasurementContext`` with the same sequence number follows.
    public var contextFollows = false
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

    /// The meaning of a ``timeOffset`` that is not a number of minutes; nil if it is one or absent.
    public var timeOffsetSpecial: ProfileNumber.Special? { timeOffset.flatMap { Self.offsetSpecials[Int64($0)] } }

    /// The reserved values of the time offset (Glucose Service 1.0.1, 3.1.1.3).
    private static let offsetSpecials: [Int64: ProfileNumber.Special] = [0x7FFF: .overrun, -0x8000: .underrun]

    /// The concentration in mg/dL or mmol/L, with the digits that were sent.
    public var usualConcentration: (number: ProfileNumber, unit: GATTUnit)? {
        guard let concentration else { return nil }
        return isMolar
            ? (concentration.moved(by: 3), .millimolesPerLitre) : (concentration.moved(by: 5), .milligramsPerDecilitre)
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x1F, &reserved)
        try coder.integer("sequenceNumber", &sequenceNumber, .uint16)
        try coder.time("baseTime", &baseTime)
        try coder.integer(
            "timeOffset", &timeOffset, .int16, unit: .minutes, specials: Self.offsetSpecials, bit: 0)
        isMolar = coder.flag(2, when: isMolar)
        try coder.number(
            "glucoseConcentration", &concentration, .sfloat, unit: isMolar ? .molesPerLitre : .kilogramsPerLitre, bit: 1
        )
        if concentration != nil { try coder.nibbles("type", &type, "sampleLocation", &sampleLocation) }
        try coder.bits("sensorStatusAnnunciation", &sensorStatusAnnunciation, .uint16, bit: 3)
        contextFollows = coder.flag(4, when: contextFollows)
        coder.describe("contextInformationFollows", .flag(contextFollows))
        coder.rest(&reserved)
    }
}

/// The features of a glucose meter (Glucose Service 1.0.1, 3.3).
public struct GlucoseFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A51"

    /// Feature bits.
    public struct Features: NamedBits {
        public var rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let names = [
            "lowBatteryDetection", "sensorMalfunctionDetection", "sensorSampleSize",
            "sensorStripInsertionErrorDetection",
            "sensorStripTypeErrorDetection", "sensorResultHighLowDetection", "sensorTemperatureHighLowDetection",
            "sensorReadInterruptDetection", "generalDeviceFault", "timeFault", "multipleBond",
        ]
    }

    /// The supported features.
    public var features: Features = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("glucoseFeature", &features, .uint16)
    }
}
