import BluetoothModel

/// The annunciation bits of a continuous glucose measurement: one octet each for status, calibration and temperature,
/// and warnings (Continuous Glucose Monitoring Service 1.0.2, 3.1.1.5).
public struct CGMStatusBits: NamedBits {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let names = [
        "sessionStopped", "deviceBatteryLow", "sensorTypeIncorrect", "sensorMalfunction", "deviceSpecificAlert",
        "generalDeviceFault", "", "", "timeSynchronizationRequired", "calibrationNotAllowed", "calibrationRecommended",
        "calibrationRequired", "sensorTemperatureTooHigh", "sensorTemperatureTooLow", "", "", "belowPatientLowLevel",
        "abovePatientHighLevel", "belowHypoLevel", "aboveHyperLevel", "rateOfDecreaseExceeded",
        "rateOfIncreaseExceeded",
        "belowDeviceRange", "aboveDeviceRange",
    ]
    /// The concentration is above the level that the user set.
    public static let abovePatientHighLevel = CGMStatusBits(rawValue: 1 << 17)
    /// The session has ended.
    public static let sessionStopped = CGMStatusBits(rawValue: 1)
}

/// The CGM Measurement characteristic: one or more concentrations (Continuous Glucose Monitoring Service 1.0.2, 3.1).
public struct CGMMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AA7"
    public static let forms: [String: FieldForm] = ["cgmMeasurement": FieldForm("CGM measurement")]

    /// A concentration.
    public struct Record: SizedRecord {
        public static let forms: [String: FieldForm] = [
            "cgmGlucoseConcentration": FieldForm("CGM glucose concentration"),
            "cgmTrendInformation": FieldForm("CGM trend information"), "cgmQuality": FieldForm("CGM quality"),
        ]
        /// The glucose concentration in milligrams per decilitre.
        public var glucoseConcentration: ProfileNumber = 0
        /// The minutes since the start of the session.
        public var timeOffset: UInt16 = 0
        /// The annunciation bits.
        public var sensorStatusAnnunciation: CGMStatusBits = []
        /// The rate of change in milligrams per decilitre per minute.
        public var trend: ProfileNumber?
        /// The quality of the measurement in percent.
        public var quality: ProfileNumber?
        /// True if the record ends with a checksum.
        public var isProtected = false
        /// The bits and bytes that are reserved for future use.
        public var reserved = ReservedPart()

        public init() {}

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

    /// The concentrations, oldest first.
    public var records: [Record] = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.records("cgmMeasurement", &records)
    }
}

/// The features of a continuous glucose monitor (Continuous Glucose Monitoring Service 1.0.2, 3.2).
public struct CGMFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AA8"
    public static let forms: [String: FieldForm] = [
        "cgmFeature": FieldForm("CGM feature"), "cgmType": FieldForm("CGM type"),
        "cgmSampleLocation": FieldForm("CGM sample location"),
    ]

    /// Feature bits.
    public struct Features: NamedBits {
        public var rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let names = [
            "calibration", "patientHighLowAlerts", "hypoAlerts", "hyperAlerts", "rateOfChangeAlerts",
            "deviceSpecificAlert", "sensorMalfunctionDetection", "sensorTemperatureHighLowDetection",
            "sensorResultHighLowDetection", "lowBatteryDetection", "sensorTypeErrorDetection", "generalDeviceFault",
            "e2eCRC", "multipleBond", "multipleSessions", "cgmTrendInformation", "cgmQuality",
        ]
        /// Values end with a checksum.
        public static let e2eCRC = Features(rawValue: 1 << 12)
        /// Measurements include the trend.
        public static let trend = Features(rawValue: 1 << 15)
    }

    /// The supported features.
    public var features: Features = []
    /// The measured fluid.
    public var type = GlucoseFluid.interstitialFluid
    /// The location of the sensor.
    public var sampleLocation = GlucoseSampleLocation.subcutaneousTissue
    /// The checksum of a monitor without ``Features/e2eCRC``; nil for the specified value, 0xFFFF.
    public var checksum: UInt16?

    public init() {}

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

/// The status of a continuous glucose monitor (Continuous Glucose Monitoring Service 1.0.2, 3.3).
public struct CGMStatus: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AA9"
    public static let forms: [String: FieldForm] = ["cgmStatus": FieldForm("CGM status")]
    /// The minutes since the start of the session.
    public var timeOffset: UInt16 = 0
    /// The status bits.
    public var status: CGMStatusBits = []
    /// True if the value ends with a checksum.
    public var isProtected = false

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("timeOffset", &timeOffset, .uint16, unit: .minutes)
        try coder.bits("cgmStatus", &status, .uint24)
        try coder.checksum("e2eCRC", &isProtected)
    }
}

/// The start time of a session (Continuous Glucose Monitoring Service 1.0.2, 3.4).
public struct CGMSessionStartTime: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AAA"
    public static let forms: [String: FieldForm] = ["dstOffset": FieldForm("DST offset")]
    /// The date and time.
    public var time = DateTime()
    /// The offset from UTC in quarters of an hour; -128 if unknown.
    public var timeZone: Int8 = -128
    /// The daylight saving time offset.
    public var dstOffset = DSTOffset.unknown
    /// True if the value ends with a checksum.
    public var isProtected = false

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.time("sessionStartTime", &time)
        try coder.timeZone("timeZone", &timeZone)
        try coder.code("dstOffset", &dstOffset)
        try coder.checksum("e2eCRC", &isProtected)
    }
}

/// The expected run time of a session (Continuous Glucose Monitoring Service 1.0.2, 3.5).
public struct CGMSessionRunTime: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AAB"
    public static let forms: [String: FieldForm] = ["cgmSessionRunTime": FieldForm("CGM session run time")]
    /// The run time in hours.
    public var runTime: UInt16 = 0
    /// True if the value ends with a checksum.
    public var isProtected = false

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("cgmSessionRunTime", &runTime, .uint16, unit: .hours)
        try coder.checksum("e2eCRC", &isProtected)
    }
}

/// The control point of a continuous glucose monitor: a command or a response (Continuous Glucose Monitoring Service
/// 1.0.2, 3.7).
public struct CGMSpecificOpsControlPoint: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AAC"

    /// The op code of a command or a response.
    public struct OpCode: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
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
        /// Sets the communication interval in minutes.
        public static let setInterval = OpCode(rawValue: 1)
        /// Requests the communication interval.
        public static let getInterval = OpCode(rawValue: 2)
        /// Reports the communication interval.
        public static let intervalResponse = OpCode(rawValue: 3)
        /// Starts the session.
        public static let startSession = OpCode(rawValue: 26)
        /// Stops the session.
        public static let stopSession = OpCode(rawValue: 27)
        /// Reports the result of a command.
        public static let response = OpCode(rawValue: 28)
    }

    /// The op code.
    public var opCode = OpCode(rawValue: 0)
    /// The operand, including the checksum if the device supports it.
    public var operand: [UInt8] = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        try coder.hiddenBytes("operand", &operand)
        if !operand.isEmpty { coder.describe("operand", .bytes(operand)) }
    }
}
