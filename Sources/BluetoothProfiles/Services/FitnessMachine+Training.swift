import BluetoothModel

// The data of machines on which people walk or climb. Bikes and rowers are in FitnessMachine.swift.

/// The Treadmill Data characteristic (Fitness Machine Service 1.0, 4.4).
public struct TreadmillData: CharacteristicType {
    public static let uuid: BluetoothUUID = "2ACD"

    /// The inclination in percent and the setting of the ramp in degrees, in steps of 0.1.
    public struct Inclination: FieldGroup {
        /// The inclination, and the ramp setting.
        public var percent: ProfileNumber = 0, ramp: ProfileNumber = 0
        public init() {}

        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.number("inclination", &percent, .decimal(.int16, -1, unknown: 0x7FFF), unit: .percent)
            try coder.number("rampAngleSetting", &ramp, .decimal(.int16, -1, unknown: 0x7FFF), unit: .degrees)
        }
    }

    /// The metres climbed and descended, in steps of 0.1.
    public struct Elevation: FieldGroup {
        /// The gain and the loss.
        public var positive: ProfileNumber = 0, negative: ProfileNumber = 0
        public init() {}

        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.number("positiveElevationGain", &positive, .decimal(.uint16, -1), unit: .metres)
            try coder.number("negativeElevationGain", &negative, .decimal(.uint16, -1), unit: .metres)
        }
    }

    /// The force on the belt in newtons and the power in watts.
    public struct Force: FieldGroup {
        /// The force, and the power.
        public var belt: Int16 = 0x7FFF, power: Int16 = 0x7FFF
        public init() {}

        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.integer("forceOnBelt", &belt, .int16, unit: .newtons, specials: [0x7FFF: .unknown])
            try coder.integer("powerOutput", &power, .int16, unit: .watts, specials: [0x7FFF: .unknown])
        }
    }

    /// The speed in km/h, in steps of 0.01; nil if another notification has it.
    public var speed: ProfileNumber?
    /// The average speed in km/h.
    public var averageSpeed: ProfileNumber?
    /// The distance in metres.
    public var distance: UInt32?
    /// The inclination.
    public var inclination: Inclination?
    /// The metres climbed and descended.
    public var elevation: Elevation?
    /// The pace and its average: in km/min, in steps of 0.1, or in seconds if ``hasPaceInSeconds``.
    public var pace: ProfileNumber?, averagePace: ProfileNumber?
    /// True for paces of two octets, in seconds for a distance, as the GATT Specification Supplement describes them.
    /// When decoding, the length of the value tells.
    public var hasPaceInSeconds = false
    /// Energy, heart rate and times.
    public var workout = FitnessWorkout()
    /// The force on the belt.
    public var force: Force?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint16, known: 0x1FFF, &reserved)
        try coder.unless(0, "instantaneousSpeed", &speed, .decimal(.uint16, -2), unit: .kilometresPerHour)
        try coder.number("averageSpeed", &averageSpeed, .decimal(.uint16, -2), unit: .kilometresPerHour, bit: 1)
        try coder.integer("totalDistance", &distance, .uint24, unit: .metres, bit: 2)
        try coder.group(&inclination, bit: 3)
        try coder.group(&elevation, bit: 4)
        if coder.isDecoding {
            let paces = [5, 6].filter { coder.flag($0, when: false) }.count
            let later = [7: 5, 8: 1, 9: 1, 10: 2, 11: 2, 12: 4].reduce(0) { sum, field in
                sum + (coder.flag(field.key, when: false) ? field.value : 0)
            }
            hasPaceInSeconds = paces > 0 && coder.bytesLeft == 2 * paces + later
        }
        let (layout, unit): (NumberLayout, GATTUnit) =
            hasPaceInSeconds ? (.decimal(.uint16, 0), .seconds) : (.decimal(.uint8, -1), .kilometresPerMinute)
        try coder.number("instantaneousPace", &pace, layout, unit: unit, bit: 5)
        try coder.number("averagePace", &averagePace, layout, unit: unit, bit: 6)
        try workout.code(&coder, from: 7)
        try coder.group(&force, bit: 12)
        coder.rest(&reserved)
    }
}

/// The Cross Trainer Data characteristic (Fitness Machine Service 1.0, 4.5).
public struct CrossTrainerData: CharacteristicType {
    public static let uuid: BluetoothUUID = "2ACE"

    /// The steps per minute and their average.
    public struct StepRate: FieldGroup {
        /// The rate and its average.
        public var current: UInt16 = 0xFFFF, average: UInt16 = 0xFFFF
        public init() {}

        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.integer("stepsPerMinute", &current, .uint16, unit: .perMinute, specials: [0xFFFF: .unknown])
            try coder.integer("averageStepRate", &average, .uint16, unit: .perMinute, specials: [0xFFFF: .unknown])
        }
    }

    /// The metres climbed and descended.
    public struct Elevation: FieldGroup {
        /// The gain and the loss.
        public var positive: UInt16 = 0, negative: UInt16 = 0
        public init() {}

        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.integer("positiveElevationGain", &positive, .uint16, unit: .metres)
            try coder.integer("negativeElevationGain", &negative, .uint16, unit: .metres)
        }
    }

    /// The speed in km/h, in steps of 0.01; nil if another notification has it.
    public var speed: ProfileNumber?
    /// The average speed in km/h.
    public var averageSpeed: ProfileNumber?
    /// The distance in metres.
    public var distance: UInt32?
    /// The steps per minute.
    public var stepRate: StepRate?
    /// The number of strides, in steps of 0.1.
    public var strides: ProfileNumber?
    /// The metres climbed and descended.
    public var elevation: Elevation?
    /// The inclination.
    public var inclination: TreadmillData.Inclination?
    /// The resistance level, in steps of 0.1.
    public var resistance: ProfileNumber?
    /// The power and its average in watts.
    public var power: Int16?, averagePower: Int16?
    /// Energy, heart rate and times.
    public var workout = FitnessWorkout()
    /// True if the person moves backward.
    public var isBackward = false
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint24, known: 0xFFFF, &reserved)
        try coder.unless(0, "instantaneousSpeed", &speed, .decimal(.uint16, -2), unit: .kilometresPerHour)
        try coder.number("averageSpeed", &averageSpeed, .decimal(.uint16, -2), unit: .kilometresPerHour, bit: 1)
        try coder.integer("totalDistance", &distance, .uint24, unit: .metres, bit: 2)
        try coder.group(&stepRate, bit: 3)
        try coder.number("strideCount", &strides, .decimal(.uint16, -1), bit: 4)
        try coder.group(&elevation, bit: 5)
        try coder.group(&inclination, bit: 6)
        try coder.number("resistanceLevel", &resistance, .decimal(.int16, -1), bit: 7)
        try coder.integer("instantaneousPower", &power, .int16, unit: .watts, bit: 8)
        try coder.integer("averagePower", &averagePower, .int16, unit: .watts, bit: 9)
        try workout.code(&coder, from: 10)
        isBackward = coder.flag(15, when: isBackward)
        coder.describe("movementDirection", .code(isBackward ? 1 : 0, isBackward ? "backward" : "forward"))
        coder.rest(&reserved)
    }
}

/// The Step Climber Data characteristic (Fitness Machine Service 1.0, 4.6).
public struct StepClimberData: CharacteristicType {
    public static let uuid: BluetoothUUID = "2ACF"
    /// The number of floors; nil if another notification has it.
    public var floors: UInt16?
    /// The number of steps; present if ``floors`` is.
    public var steps: UInt16 = 0
    /// The steps per minute and their average.
    public var stepRate: UInt16?, averageStepRate: UInt16?
    /// The metres climbed.
    public var elevation: UInt16?
    /// Energy, heart rate and times.
    public var workout = FitnessWorkout()
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint16, known: 0x01FF, &reserved)
        try coder.unless(0, "floors", &floors, .uint16)
        if floors != nil { try coder.integer("stepCount", &steps, .uint16) }
        try coder.integer("stepsPerMinute", &stepRate, .uint16, unit: .perMinute, bit: 1)
        try coder.integer("averageStepRate", &averageStepRate, .uint16, unit: .perMinute, bit: 2)
        try coder.integer("positiveElevationGain", &elevation, .uint16, unit: .metres, bit: 3)
        try workout.code(&coder, from: 4)
        coder.rest(&reserved)
    }
}

/// The Stair Climber Data characteristic (Fitness Machine Service 1.0, 4.7).
public struct StairClimberData: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD0"
    /// The number of floors; nil if another notification has it.
    public var floors: UInt16?
    /// The steps per minute and their average.
    public var stepRate: UInt16?, averageStepRate: UInt16?
    /// The metres climbed.
    public var elevation: UInt16?
    /// The number of strides.
    public var strides: UInt16?
    /// Energy, heart rate and times.
    public var workout = FitnessWorkout()
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint16, known: 0x03FF, &reserved)
        try coder.unless(0, "floors", &floors, .uint16)
        try coder.integer("stepsPerMinute", &stepRate, .uint16, unit: .perMinute, bit: 1)
        try coder.integer("averageStepRate", &averageStepRate, .uint16, unit: .perMinute, bit: 2)
        try coder.integer("positiveElevationGain", &elevation, .uint16, unit: .metres, bit: 3)
        try coder.integer("strideCount", &strides, .uint16, bit: 4)
        try workout.code(&coder, from: 5)
        coder.rest(&reserved)
    }
}
