import BluetoothModel

/// What was measured: blood or another fluid, and which part of it (Glucose Service 1.0.1, 3.1.1.5).
public struct GlucoseFluid: NamedCode {
    /// The number.
    public var rawValue: UInt8
    /// A value from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// What the numbers stand for.
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

/// Where the sample was taken (Glucose Service 1.0.1, 3.1.1.6).
public struct GlucoseSampleLocation: NamedCode {
    /// The number.
    public var rawValue: UInt8
    /// A value from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// What the numbers stand for.
    public static let names: [UInt8: String] = [
        1: "finger", 2: "alternate site test", 3: "earlobe", 4: "control solution", 5: "subcutaneous tissue",
        15: "not available",
    ]
    /// A finger.
    public static let finger = GlucoseSampleLocation(rawValue: 1)
    /// Under the skin.
    public static let subcutaneousTissue = GlucoseSampleLocation(rawValue: 5)
}

/// What is to be said about a glucose measurement (Glucose Service 1.0.1, 3.1.1.7).
public struct GlucoseStatus: NamedBits {
    /// The number.
    public var rawValue: UInt16
    /// A value from its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// What the bits stand for, from the lowest.
    public static let names = [
        "deviceBatteryLow", "sensorMalfunction", "sampleSizeInsufficient", "stripInsertionError",
        "stripTypeIncorrect", "resultTooHigh", "resultTooLow", "temperatureTooHigh", "temperatureTooLow",
        "readInterrupted", "generalDeviceFault", "timeFault",
    ]
}

/// A concentration of glucose (Glucose Service 1.0.1, 3.1).
public struct GlucoseMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A18"
    /// Names the record; its context has the same.
    public var sequenceNumber: UInt16 = 0
    /// When it was taken, on the clock as it was first set.
    public var baseTime = DateTime()
    /// Minutes to add to ``baseTime`` for the time on the user's clock; 32767 (overrun) and -32768 (underrun) are no
    /// offsets, see ``timeOffsetSpecial``.
    public var timeOffset: Int16?
    /// The concentration, in kg/L or mol/L; nil where there is none.
    public var concentration: ProfileNumber?
    /// Whether the concentration is in mol/L.
    public var isMolar = false
    /// What was measured; counts where there is a concentration.
    public var type = GlucoseFluid(rawValue: 0)
    /// Where the sample was taken; counts where there is a concentration.
    public var sampleLocation = GlucoseSampleLocation(rawValue: 0)
    /// What is to be said about it.
    public var sensorStatusAnnunciation: GlucoseStatus?
    /// Whether a ``GlucoseMeasurementContext`` with the same number follows.
    public var contextFollows = false
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// The reason why ``timeOffset`` is no number of minutes; nil where it is one, or there is none.
    public var timeOffsetSpecial: ProfileNumber.Special? { timeOffset.flatMap { Self.offsetSpecials[Int64($0)] } }

    /// Glucose Service 1.0.1, 3.1.1.3.
    private static let offsetSpecials: [Int64: ProfileNumber.Special] = [0x7FFF: .overrun, -0x8000: .underrun]

    /// The concentration as people know it, in mg/dL or mmol/L, with the digits that were sent.
    public var usualConcentration: (number: ProfileNumber, unit: GATTUnit)? {
        guard let concentration else { return nil }
        return isMolar
            ? (concentration.moved(by: 3), .millimolesPerLitre) : (concentration.moved(by: 5), .milligramsPerDecilitre)
    }

    /// Names the fields.
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

/// What a glucose meter can do (Glucose Service 1.0.1, 3.3).
public struct GlucoseFeature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A51"

    /// Abilities.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt16
        /// A value from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "lowBatteryDetection", "sensorMalfunctionDetection", "sensorSampleSize",
            "sensorStripInsertionErrorDetection",
            "sensorStripTypeErrorDetection", "sensorResultHighLowDetection", "sensorTemperatureHighLowDetection",
            "sensorReadInterruptDetection", "generalDeviceFault", "timeFault", "multipleBond",
        ]
    }

    /// What it can do.
    public var features: Features = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("glucoseFeature", &features, .uint16)
    }
}
