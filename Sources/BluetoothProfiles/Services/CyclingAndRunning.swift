import BluetoothModel

/// A number that counts up, and when it last did.
public struct RevolutionCount: Hashable, Sendable {
    /// Revolutions so far.
    public var revolutions: UInt32 = 0
    /// When the last one ended, in 1/1024 s; it begins again after 64 s.
    public var lastEventTime: UInt16 = 0
    /// A count.
    public init(_ revolutions: UInt32 = 0, at lastEventTime: UInt16 = 0) {
        self.revolutions = revolutions
        self.lastEventTime = lastEventTime
    }
    /// Revolutions per second since an earlier count of `bits` bits; nil where nothing turned.
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

/// Turns of a wheel and a crank (Cycling Speed and Cadence Service 1.0, 3.1).
public struct CSCMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A5B"
    /// The wheel.
    public var wheel: RevolutionCount?
    /// The crank; its revolutions have 16 bits.
    public var crank: RevolutionCount?
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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

/// What a speed and cadence sensor can do (Cycling Speed and Cadence Service 1.0, 3.2).
public struct CSCFeature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A5C"
    /// Abilities.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt16
        /// A value from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names = ["wheelRevolutionData", "crankRevolutionData", "multipleSensorLocations"]
    }
    /// What it can do.
    public var features: Features = []
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("cscFeature", &features, .uint16)
    }
}

/// Where a sensor is worn or mounted (GATT Specification Supplement, 3.206).
public struct SensorLocation: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A5D"

    /// A place.
    public struct Location: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            0: "other", 1: "top of shoe", 2: "in shoe", 3: "hip", 4: "front wheel", 5: "left crank", 6: "right crank",
            7: "left pedal", 8: "right pedal", 9: "front hub", 10: "rear dropout", 11: "chainstay", 12: "rear wheel",
            13: "rear hub", 14: "chest", 15: "spider", 16: "chain ring",
        ]
    }

    /// The place.
    public var location = Location(rawValue: 0)
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("sensorLocation", &location)
    }
}

/// What a speed and cadence sensor is told, and answers (Cycling Speed and Cadence Service 1.0, 3.4).
public struct SpeedAndCadenceControlPoint: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A55"

    /// A command, or an answer.
    public struct OpCode: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "set cumulative value", 2: "start sensor calibration", 3: "update sensor location",
            4: "request supported sensor locations", 16: "response code",
        ]
    }

    /// The command, or the answer.
    public var opCode = OpCode(rawValue: 1)
    /// What belongs to it.
    public var parameter: [UInt8] = []
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        try coder.hiddenBytes("parameter", &parameter)
        if !parameter.isEmpty { coder.describe("parameter", .bytes(parameter)) }
    }
}

/// How somebody runs (Running Speed and Cadence Service 1.0, 3.1).
public struct RSCMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A53"
    /// 1/256 m/s.
    public var speed: UInt16 = 0
    /// Steps of one foot per minute.
    public var cadence: UInt8 = 0
    /// Centimetres.
    public var strideLength: UInt16?
    /// Metres.
    public var totalDistance: ProfileNumber?
    /// Whether it is running and not walking.
    public var isRunning = false
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
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

/// What a running sensor can do (Running Speed and Cadence Service 1.0, 3.2).
public struct RSCFeature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A54"
    /// Abilities.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt16
        /// A value from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "instantaneousStrideLength", "totalDistance", "walkingOrRunningStatus", "calibrationProcedure",
            "multipleSensorLocations",
        ]
    }
    /// What it can do.
    public var features: Features = []
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("rscFeature", &features, .uint16)
    }
}
