import BluetoothModel

/// A cumulative count of revolutions with the time of the last one.
public struct RevolutionCount: Hashable, Sendable {
    /// The cumulative number of revolutions.
    public var revolutions: UInt32 = 0
    /// The end of the last revolution in units of 1/1024 s; wraps around every 64 s.
    public var lastEventTime: UInt16 = 0
    /// Creates a count.
    public init(_ revolutions: UInt32 = 0, at lastEventTime: UInt16 = 0) {
        self.revolutions = revolutions
        self.lastEventTime = lastEventTime
    }
    /// Returns the revolutions per second since an earlier count; nil if no revolution ended in between.
    /// - Parameter bits: 16 if the number of revolutions wraps around at 16 bits, else it wraps around at 32.
    public func rate(since earlier: RevolutionCount, bits: Int) -> Double? {
        let time = lastEventTime &- earlier.lastEventTime
        guard time > 0 else { return nil }
        let turns =
            bits == 16
            ? UInt32(UInt16(truncatingIfNeeded: revolutions &- earlier.revolutions))
            : revolutions &- earlier.revolutions
        return Double(turns) * 1024 / Double(time)
    }
}

/// The CSC Measurement characteristic (Cycling Speed and Cadence Service 1.0, 3.1).
public struct CSCMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A5B"
    /// The wheel revolutions.
    public var wheel: RevolutionCount?
    /// The crank revolutions, a count of 16 bits.
    public var crank: RevolutionCount?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x03, &reserved)
        if coder.flag(0, when: wheel != nil) {
            var count = wheel ?? RevolutionCount()
            try coder.integer("cumulativeWheelRevolutions", &count.revolutions, .uint32)
            try coder.count("lastWheelEventTime", &count.lastEventTime, times: 1.0 / 1024, unit: .seconds)
            wheel = count
        }
        if coder.flag(1, when: crank != nil) {
            var count = crank ?? RevolutionCount()
            try coder.integer("cumulativeCrankRevolutions", &count.revolutions, .uint16)
            try coder.count("lastCrankEventTime", &count.lastEventTime, times: 1.0 / 1024, unit: .seconds)
            crank = count
        }
        coder.rest(&reserved)
    }
}

/// The features of a cycling speed and cadence sensor (Cycling Speed and Cadence Service 1.0, 3.2).
public struct CSCFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A5C"
    public static let forms: [String: FieldForm] = ["cscFeature": FieldForm("CSC feature")]
    /// Feature bits.
    public struct Features: NamedBits {
        public var rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let names = ["wheelRevolutionData", "crankRevolutionData", "multipleSensorLocations"]
    }
    /// The supported features.
    public var features: Features = []
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("cscFeature", &features, .uint16)
    }
}

/// The location of a sensor on the body or the bicycle (GATT Specification Supplement, 3.206).
public struct SensorLocation: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A5D"

    /// A sensor location.
    public struct Location: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0: "other", 1: "top of shoe", 2: "in shoe", 3: "hip", 4: "front wheel", 5: "left crank", 6: "right crank",
            7: "left pedal", 8: "right pedal", 9: "front hub", 10: "rear dropout", 11: "chainstay", 12: "rear wheel",
            13: "rear hub", 14: "chest", 15: "spider", 16: "chain ring",
        ]
    }

    /// The location.
    public var location = Location(rawValue: 0)
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("sensorLocation", &location)
    }
}

/// The control point of a speed and cadence sensor: a command or a response (Cycling Speed and Cadence Service 1.0,
/// 3.4).
public struct SpeedAndCadenceControlPoint: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A55"

    /// The op code of a command or a response.
    public struct OpCode: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "set cumulative value", 2: "start sensor calibration", 3: "update sensor location",
            4: "request supported sensor locations", 16: "response code",
        ]
    }

    /// The op code.
    public var opCode = OpCode(rawValue: 1)
    /// The parameter.
    public var parameter: [UInt8] = []
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        try coder.hiddenBytes("parameter", &parameter)
        if !parameter.isEmpty { coder.describe("parameter", .bytes(parameter)) }
    }
}

/// The RSC Measurement characteristic (Running Speed and Cadence Service 1.0, 3.1).
public struct RSCMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A53"
    /// The speed in units of 1/256 m/s.
    public var speed: UInt16 = 0
    /// The cadence: steps of one foot per minute.
    public var cadence: UInt8 = 0
    /// The stride length in centimetres.
    public var strideLength: UInt16?
    /// The total distance in metres, with a resolution of 0.1 m.
    public var totalDistance: ProfileNumber?
    /// True if the user is running, false for walking.
    public var isRunning = false
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x07, &reserved)
        try coder.count("instantaneousSpeed", &speed, times: 1.0 / 256, unit: .metresPerSecond)
        try coder.integer("instantaneousCadence", &cadence, .uint8, unit: .perMinute)
        try coder.integer("instantaneousStrideLength", &strideLength, .uint16, unit: .centimetres, bit: 0)
        try coder.number("totalDistance", &totalDistance, .decimal(.uint32, -1), unit: .metres, bit: 1)
        isRunning = coder.flag(2, when: isRunning)
        coder.describe("walkingOrRunningStatus", .code(isRunning ? 1 : 0, isRunning ? "running" : "walking"))
        coder.rest(&reserved)
    }
}

/// The features of a running speed and cadence sensor (Running Speed and Cadence Service 1.0, 3.2).
public struct RSCFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A54"
    public static let forms: [String: FieldForm] = ["rscFeature": FieldForm("RSC feature")]
    /// Feature bits.
    public struct Features: NamedBits {
        public var rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let names = [
            "instantaneousStrideLength", "totalDistance", "walkingOrRunningStatus", "calibrationProcedure",
            "multipleSensorLocations",
        ]
    }
    /// The supported features.
    public var features: Features = []
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("rscFeature", &features, .uint16)
    }
}
