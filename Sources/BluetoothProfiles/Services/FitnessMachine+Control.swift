import BluetoothModel

// The features, ranges, control point and status that all fitness machines have.

/// The Fitness Machine Feature characteristic (Fitness Machine Service 1.0, 4.3).
public struct FitnessMachineFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2ACC"

    /// The values that the machine sends.
    public struct Features: NamedBits {
        public var rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let names = [
            "averageSpeed", "cadence", "totalDistance", "inclination", "elevationGain", "pace", "stepCount",
            "resistanceLevel", "strideCount", "expendedEnergy", "heartRate", "metabolicEquivalent", "elapsedTime",
            "remainingTime", "power", "forceOnBelt", "userDataRetention",
        ]
    }

    /// The targets that a client can set.
    public struct Targets: NamedBits {
        public var rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let names = [
            "speed", "inclination", "resistance", "power", "heartRate", "expendedEnergy", "steps", "strides",
            "distance", "trainingTime", "timeInTwoHeartRateZones", "timeInThreeHeartRateZones",
            "timeInFiveHeartRateZones", "bikeSimulation", "wheelCircumference", "spinDown", "cadence",
        ]
    }

    /// The values.
    public var features: Features = []
    /// The targets.
    public var targets: Targets = []
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("features", &features, .uint32)
        try coder.bits("targetSettings", &targets, .uint32)
    }
}

/// The Training Status characteristic (Fitness Machine Service 1.0, 4.10).
public struct TrainingStatus: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD3"

    /// The phase of a training.
    public struct Status: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0: "other", 1: "idle", 2: "warming up", 3: "low intensity interval", 4: "high intensity interval",
            5: "recovery interval", 6: "isometric", 7: "heart rate control", 8: "fitness test",
            9: "speed too low", 10: "speed too high", 11: "cool down", 12: "watt control", 13: "manual mode",
            14: "pre-workout", 15: "post-workout",
        ]
    }

    /// The phase.
    public var status = Status(rawValue: 1)
    /// The machine's text; nil if there is none.
    public var text: String?
    /// True if the text is longer, and has to be read.
    public var isExtended = false
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x03, &reserved)
        try coder.code("trainingStatus", &status)
        if coder.flag(0, when: text != nil) {
            var words = text ?? ""
            try coder.text("trainingStatusString", &words)
            text = words
        } else {
            text = nil
        }
        isExtended = coder.flag(1, when: isExtended)
        coder.rest(&reserved)
    }
}

extension FieldCoder {
    /// Codes the least and the greatest value of a target, and the step between two values.
    fileprivate mutating func range(
        _ minimum: inout ProfileNumber, _ maximum: inout ProfileNumber, _ increment: inout ProfileNumber,
        _ limits: NumberLayout, _ step: NumberLayout, unit: GATTUnit? = nil
    ) throws(ValueError) {
        try number("minimum", &minimum, limits, unit: unit)
        try number("maximum", &maximum, limits, unit: unit)
        try number("minimumIncrement", &increment, step, unit: unit)
    }
}

/// The Supported Speed Range characteristic, in km/h (Fitness Machine Service 1.0, 4.11).
public struct SupportedSpeedRange: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD4"
    /// The least and the greatest value, and the step between two values.
    public var minimum: ProfileNumber = 0, maximum: ProfileNumber = 0, increment: ProfileNumber = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.range(
            &minimum, &maximum, &increment, .decimal(.uint16, -2), .decimal(.uint16, -2), unit: .kilometresPerHour)
    }
}

/// The Supported Inclination Range characteristic, in percent (Fitness Machine Service 1.0, 4.12).
public struct SupportedInclinationRange: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD5"
    /// The least and the greatest value, and the step between two values.
    public var minimum: ProfileNumber = 0, maximum: ProfileNumber = 0, increment: ProfileNumber = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.range(
            &minimum, &maximum, &increment, .decimal(.int16, -1), .decimal(.uint16, -1), unit: .percent)
    }
}

/// The Supported Resistance Level Range characteristic (Fitness Machine Service 1.0, 4.13).
public struct SupportedResistanceLevelRange: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD6"
    /// The least and the greatest value, and the step between two values.
    public var minimum: ProfileNumber = 0, maximum: ProfileNumber = 0, increment: ProfileNumber = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.range(&minimum, &maximum, &increment, .decimal(.int16, -1), .decimal(.uint16, -1))
    }
}

/// The Supported Heart Rate Range characteristic (Fitness Machine Service 1.0, 4.15).
public struct SupportedHeartRateRange: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD7"
    /// The least and the greatest value, and the step between two values.
    public var minimum: ProfileNumber = 0, maximum: ProfileNumber = 0, increment: ProfileNumber = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.range(
            &minimum, &maximum, &increment, .decimal(.uint8, 0), .decimal(.uint8, 0), unit: .beatsPerMinute)
    }
}

/// The Supported Power Range characteristic, in watts (Fitness Machine Service 1.0, 4.14).
public struct SupportedPowerRange: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD8"
    /// The least and the greatest value, and the step between two values.
    public var minimum: ProfileNumber = 0, maximum: ProfileNumber = 0, increment: ProfileNumber = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.range(&minimum, &maximum, &increment, .decimal(.int16, 0), .decimal(.uint16, 0), unit: .watts)
    }
}

/// The fields of a target, which the control point sets and the status reports.
private struct FitnessTarget {
    let name: String
    let layout: NumberLayout
    let unit: GATTUnit?

    init(_ name: String, _ layout: NumberLayout, _ unit: GATTUnit? = nil) {
        (self.name, self.layout, self.unit) = (name, layout, unit)
    }

    /// The targets in the order of their op codes, from "set target speed".
    static let all: [[FitnessTarget]] = [
        [.init("speed", .decimal(.uint16, -2), .kilometresPerHour)],
        [.init("inclination", .decimal(.int16, -1), .percent)],
        [.init("resistanceLevel", .decimal(.uint8, -1))],
        [.init("power", .decimal(.int16, 0), .watts)],
        [.init("heartRate", .decimal(.uint8, 0), .beatsPerMinute)],
        [.init("expendedEnergy", .decimal(.uint16, 0), .kilocalories)],
        [.init("steps", .decimal(.uint16, 0))],
        [.init("strides", .decimal(.uint16, 0))],
        [.init("distance", .decimal(.uint24, 0), .metres)],
        [.init("trainingTime", .decimal(.uint16, 0), .seconds)],
        ["timeInFatBurnZone", "timeInFitnessZone"].map { .init($0, .decimal(.uint16, 0), .seconds) },
        ["timeInLightZone", "timeInModerateZone", "timeInHardZone"].map {
            .init($0, .decimal(.uint16, 0), .seconds)
        },
        [
            "timeInVeryLightZone", "timeInLightZone", "timeInModerateZone", "timeInHardZone", "timeInMaximumZone",
        ].map { .init($0, .decimal(.uint16, 0), .seconds) },
        [
            .init("windSpeed", .decimal(.int16, -3), .metresPerSecond),
            .init("grade", .decimal(.int16, -2), .percent),
            .init("rollingResistance", .decimal(.uint8, -4)),
            .init("windResistance", .decimal(.uint8, -2)),
        ],
        [.init("wheelCircumference", .decimal(.uint16, -1), .millimetres)],
    ]
    static let cadence = [
        FitnessTarget("cadence", .multiple(.uint16, of: ExactDecimal(5, exponent: -1)), .perMinute)
    ]
}

extension FieldCoder {
    /// Codes the parameter of a fitness machine's op code, and describes its fields if it is of their length.
    fileprivate mutating func parameter(_ bytes: inout [UInt8], _ targets: [FitnessTarget]?) throws(ValueError) {
        try hiddenBytes("parameter", &bytes)
        guard !bytes.isEmpty, describes else { return }
        var inner = FieldCoder(decoding: bytes, describes: true)
        do throws(ValueError) {
            for target in targets ?? [] {
                var number: ProfileNumber = 0
                try inner.number(target.name, &number, target.layout, unit: target.unit)
            }
            try inner.finish()
            fields += inner.fields
        } catch { describe("parameter", .bytes(bytes)) }
    }
}

/// The Fitness Machine Control Point characteristic: a command or a response (Fitness Machine Service 1.0, 4.16).
public struct FitnessMachineControlPoint: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD9"

    /// The op code of a command or a response.
    public struct OpCode: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0x00: "request control", 0x01: "reset", 0x02: "set target speed", 0x03: "set target inclination",
            0x04: "set target resistance level", 0x05: "set target power", 0x06: "set target heart rate",
            0x07: "start or resume", 0x08: "stop or pause", 0x09: "set targeted expended energy",
            0x0A: "set targeted number of steps", 0x0B: "set targeted number of strides",
            0x0C: "set targeted distance", 0x0D: "set targeted training time",
            0x0E: "set targeted time in two heart rate zones", 0x0F: "set targeted time in three heart rate zones",
            0x10: "set targeted time in five heart rate zones", 0x11: "set indoor bike simulation parameters",
            0x12: "set wheel circumference", 0x13: "spin down control", 0x14: "set targeted cadence",
            0x80: "response code",
        ]
    }

    /// The result in a response.
    public struct Result: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "success", 2: "op code not supported", 3: "invalid parameter", 4: "operation failed",
            5: "control not permitted",
        ]
    }

    /// The op code.
    public var opCode = OpCode(rawValue: 0)
    /// The op code that a response answers, and its result.
    public var request = OpCode(rawValue: 0), result = Result(rawValue: 1)
    /// The parameter.
    public var parameter: [UInt8] = []
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        switch opCode.rawValue {
        case 0x80:
            try coder.code("requestOpCode", &request)
            try coder.code("resultCode", &result)
            try coder.parameter(&parameter, nil)
        case 0x02...0x06: try coder.parameter(&parameter, FitnessTarget.all[Int(opCode.rawValue) - 0x02])
        case 0x09...0x12: try coder.parameter(&parameter, FitnessTarget.all[Int(opCode.rawValue) - 0x04])
        case 0x14: try coder.parameter(&parameter, FitnessTarget.cadence)
        default: try coder.parameter(&parameter, nil)
        }
    }
}

/// The Fitness Machine Status characteristic (Fitness Machine Service 1.0, 4.17).
public struct FitnessMachineStatus: CharacteristicType {
    public static let uuid: BluetoothUUID = "2ADA"

    /// A kind of change.
    public struct Event: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0x01: "reset", 0x02: "stopped or paused by the user", 0x03: "stopped by the safety key",
            0x04: "started or resumed by the user", 0x05: "target speed changed", 0x06: "target inclination changed",
            0x07: "target resistance level changed", 0x08: "target power changed", 0x09: "target heart rate changed",
            0x0A: "targeted expended energy changed", 0x0B: "targeted number of steps changed",
            0x0C: "targeted number of strides changed", 0x0D: "targeted distance changed",
            0x0E: "targeted training time changed", 0x0F: "targeted time in two heart rate zones changed",
            0x10: "targeted time in three heart rate zones changed",
            0x11: "targeted time in five heart rate zones changed",
            0x12: "indoor bike simulation parameters changed", 0x13: "wheel circumference changed",
            0x14: "spin down status", 0x15: "targeted cadence changed", 0xFF: "control permission lost",
        ]
    }

    /// The change.
    public var event = Event(rawValue: 1)
    /// The new value.
    public var parameter: [UInt8] = []
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("event", &event)
        switch event.rawValue {
        case 0x05...0x13: try coder.parameter(&parameter, FitnessTarget.all[Int(event.rawValue) - 0x05])
        case 0x15: try coder.parameter(&parameter, FitnessTarget.cadence)
        default: try coder.parameter(&parameter, nil)
        }
    }
}
