import BluetoothModel

/// What is to be said about a continuous glucose measurement: status, calibration and temperature, warnings, an octet
/// each (Continuous Glucose Monitoring Service 1.0.2, 3.1.1.5).
public struct CGMStatusBits: NamedBits {
    /// The number.
    public var rawValue: UInt32
    /// A value from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// What the bits stand for, from the lowest.
    public static let names = [
        "sessionStopped", "deviceBatteryLow", "sensorTypeIncorrect", "sensorMalfunction", "deviceSpecificAlert",
        "generalDeviceFault", "", "", "timeSynchronizationRequired", "calibrationNotAllowed", "calibrationRecommended",
        "calibrationRequired", "sensorTemperatureTooHigh", "sensorTemperatureTooLow", "", "", "belowPatientLowLevel",
        "abovePatientHighLevel", "belowHypoLevel", "aboveHyperLevel", "rateOfDecreaseExceeded",
        "rateOfIncreaseExceeded",
        "belowDeviceRange", "aboveDeviceRange",
    ]
    /// The concentration is above what the user set.
    public static let abovePatientHighLevel = CGMStatusBits(rawValue: 1 << 17)
    /// The session is over.
    public static let sessionStopped = CGMStatusBits(rawValue: 1)
}

/// Concentrations of glucose, one or more in a value (Continuous Glucose Monitoring Service 1.0.2, 3.1).
public struct CGMMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AA7"

    /// One concentration.
    public struct Record: SizedRecord {
        /// Milligrams per decilitre.
        public var glucoseConcentration: ProfileNumber = 0
        /// Minutes since the start of the session.
        public var timeOffset: UInt16 = 0
        /// What is to be said about it.
        public var sensorStatusAnnunciation: CGMStatusBits = []
        /// How fast it changes, in milligrams per decilitre and minute.
        public var trend: ProfileNumber?
        /// How good it is, in percent.
        public var quality: ProfileNumber?
        /// Whether a checksum protects it.
        public var isProtected = false
        /// What the specification keeps for later.
        public var reserved = ReservedPart()

        /// Nothing is set yet.
        public init() {}

        /// Names the fields.
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.flags(.uint8, known: 0xE3, &reserved)
            try coder.number("cgmGlucoseConcentration", &glucoseConcentration, .sfloat, unit: .milligramsPerDecilitre)
            try coder.integer("timeOffset", &timeOffset, .uint16, unit: .minutes)
            try coder.octets("sensorStatusAnnunciation", &sensorStatusAnnunciation, bits: [7, 6, 5])
            try coder.number("cgmTrendInformation", &trend, .sfloat, unit: .milligramsPerDecilitrePerMinute, bit: 0)
            try coder.number("cgmQuality", &quality, .sfloat, unit: .percent, bit: 1)
            try coder.checksum("e2eCRC", &isProtected, isRecord: true)
        }
    }

    /// The concentrations, the oldest first.
    public var records: [Record] = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.records("cgmMeasurement", &records)
    }
}

/// What a continuous glucose monitor can do (Continuous Glucose Monitoring Service 1.0.2, 3.2).
public struct CGMFeature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AA8"

    /// Abilities.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt32
        /// A value from its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "calibration", "patientHighLowAlerts", "hypoAlerts", "hyperAlerts", "rateOfChangeAlerts",
            "deviceSpecificAlert", "sensorMalfunctionDetection", "sensorTemperatureHighLowDetection",
            "sensorResultHighLowDetection", "lowBatteryDetection", "sensorTypeErrorDetection", "generalDeviceFault",
            "e2eCRC", "multipleBond", "multipleSessions", "cgmTrendInformation", "cgmQuality",
        ]
        /// Values are protected by checksums.
        public static let e2eCRC = Features(rawValue: 1 << 12)
        /// The trend is told.
        public static let trend = Features(rawValue: 1 << 15)
    }

    /// What it can do.
    public var features: Features = []
    /// What it measures.
    public var type = GlucoseFluid.interstitialFluid
    /// Where it measures.
    public var sampleLocation = GlucoseSampleLocation.subcutaneousTissue
    /// The checksum; 0xFFFF where values are not protected.
    public var checksum: UInt16?

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("cgmFeature", &features, .uint24)
        try coder.nibbles("cgmType", &type, "cgmSampleLocation", &sampleLocation)
        if features.contains(.e2eCRC) {
            guard !coder.isDecoding || coder.bytesLeft >= 2 else {
                throw ValueError(field: "e2eCRC", reason: "2 bytes needed, \(coder.bytesLeft) left")
            }
            var isThere = true
            try coder.checksum("e2eCRC", &isThere)
            checksum = nil
        } else {
            var unused = checksum ?? 0xFFFF
            try coder.integer("e2eCRC", &unused, .uint16) { .hex(UInt64($0), digits: 4) }
            checksum = unused == 0xFFFF ? nil : unused
        }
    }
}

/// How a continuous glucose monitor is (Continuous Glucose Monitoring Service 1.0.2, 3.3).
public struct CGMStatus: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AA9"
    /// Minutes since the start of the session.
    public var timeOffset: UInt16 = 0
    /// What is to be said.
    public var status: CGMStatusBits = []
    /// Whether a checksum protects it.
    public var isProtected = false

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("timeOffset", &timeOffset, .uint16, unit: .minutes)
        try coder.bits("cgmStatus", &status, .uint24)
        try coder.checksum("e2eCRC", &isProtected)
    }
}

/// When a session started (Continuous Glucose Monitoring Service 1.0.2, 3.4).
public struct CGMSessionStartTime: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AAA"
    /// The time of day.
    public var time = DateTime()
    /// Quarters of an hour from UTC; -128 where it is not known.
    public var timeZone: Int8 = -128
    /// Whether it is summer time.
    public var dstOffset = DSTOffset.unknown
    /// Whether a checksum protects it.
    public var isProtected = false

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.time("sessionStartTime", &time)
        try coder.timeZone("timeZone", &timeZone)
        try coder.code("dstOffset", &dstOffset)
        try coder.checksum("e2eCRC", &isProtected)
    }
}

/// How long a sensor lasts (Continuous Glucose Monitoring Service 1.0.2, 3.5).
public struct CGMSessionRunTime: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AAB"
    /// Hours.
    public var runTime: UInt16 = 0
    /// Whether a checksum protects it.
    public var isProtected = false

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("cgmSessionRunTime", &runTime, .uint16, unit: .hours)
        try coder.checksum("e2eCRC", &isProtected)
    }
}

/// What a continuous glucose monitor is told, and answers (Continuous Glucose Monitoring Service 1.0.2, 3.7).
public struct CGMSpecificOpsControlPoint: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AAC"

    /// A command, or an answer.
    public struct OpCode: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "set communication interval", 2: "get communication interval", 3: "communication interval response",
            4: "set glucose calibration value", 5: "get glucose calibration value",
            6: "glucose calibration value response",
            7: "set patient high alert level", 8: "get patient high alert level",
            9: "patient high alert level response",
            10: "set patient low alert level", 11: "get patient low alert level",
            12: "patient low alert level response",
            13: "set hypo alert level", 14: "get hypo alert level", 15: "hypo alert level response",
            16: "set hyper alert level", 17: "get hyper alert level", 18: "hyper alert level response",
            19: "set rate of decrease alert level", 20: "get rate of decrease alert level",
            21: "rate of decrease alert level response", 22: "set rate of increase alert level",
            23: "get rate of increase alert level", 24: "rate of increase alert level response",
            25: "reset device specific alert", 26: "start the session", 27: "stop the session", 28: "response code",
        ]
        /// Sets how often it sends, in minutes.
        public static let setInterval = OpCode(rawValue: 1)
        /// Asks how often it sends.
        public static let getInterval = OpCode(rawValue: 2)
        /// Says how often it sends.
        public static let intervalResponse = OpCode(rawValue: 3)
        /// Starts to measure.
        public static let startSession = OpCode(rawValue: 26)
        /// Stops measuring.
        public static let stopSession = OpCode(rawValue: 27)
        /// Says how a command ended.
        public static let response = OpCode(rawValue: 28)
    }

    /// The command, or the answer.
    public var opCode = OpCode(rawValue: 0)
    /// What belongs to it, a checksum included where values are protected.
    public var operand: [UInt8] = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        try coder.hiddenBytes("operand", &operand)
        if !operand.isEmpty { coder.describe("operand", .bytes(operand)) }
    }
}
