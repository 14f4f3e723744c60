import BluetoothModel

/// The Indoor Bike Data characteristic (Fitness Machine Service 1.0, 4.9).
public struct IndoorBikeData: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD2"
    /// The speed in km/h, in steps of 0.01; nil if another notification has it.
    public var speed: ProfileNumber?
    /// The average speed in km/h.
    public var averageSpeed: ProfileNumber?
    /// The cadence and its average per minute, in steps of 0.5.
    public var cadence: ProfileNumber?, averageCadence: ProfileNumber?
    /// The distance in metres.
    public var distance: UInt32?
    /// The resistance level.
    public var resistance: Int16?
    /// The power and its average in watts.
    public var power: Int16?, averagePower: Int16?
    /// Energy, heart rate and times.
    public var workout = FitnessWorkout()
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint16, known: 0x1FFF, &reserved)
        // The first flag means that the speed is absent.
        try coder.unless(0, "instantaneousSpeed", &speed, .decimal(.uint16, -2), unit: .kilometresPerHour)
        try coder.number("averageSpeed", &averageSpeed, .decimal(.uint16, -2), unit: .kilometresPerHour, bit: 1)
        let cadenceLayout = NumberLayout.multiple(.uint16, of: ExactDecimal(5, exponent: -1))
        try coder.number("instantaneousCadence", &cadence, cadenceLayout, unit: .perMinute, bit: 2)
        try coder.number("averageCadence", &averageCadence, cadenceLayout, unit: .perMinute, bit: 3)
        try coder.integer("totalDistance", &distance, .uint24, unit: .metres, bit: 4)
        try coder.integer("resistanceLevel", &resistance, .int16, bit: 5)
        try coder.integer("instantaneousPower", &power, .int16, unit: .watts, bit: 6)
        try coder.integer("averagePower", &averagePower, .int16, unit: .watts, bit: 7)
        try workout.code(&coder)
        coder.rest(&reserved)
    }
}

/// The Rower Data characteristic (Fitness Machine Service 1.0, 4.8).
public struct RowerData: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AD1"
    /// The strokes per minute, in steps of 0.5; nil if another notification has them.
    public var strokeRate: ProfileNumber?
    /// The number of strokes; present if ``strokeRate`` is.
    public var strokes: UInt16 = 0
    /// The average strokes per minute.
    public var averageStrokeRate: ProfileNumber?
    /// The distance in metres.
    public var distance: UInt32?
    /// The pace and its average, in seconds for 500 m.
    public var pace: UInt16?, averagePace: UInt16?
    /// The power and its average in watts.
    public var power: Int16?, averagePower: Int16?
    /// The resistance level.
    public var resistance: Int16?
    /// Energy, heart rate and times.
    public var workout = FitnessWorkout()
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint16, known: 0x1FFF, &reserved)
        let rate = NumberLayout.multiple(.uint8, of: ExactDecimal(5, exponent: -1))
        try coder.unless(0, "strokeRate", &strokeRate, rate, unit: .perMinute)
        if strokeRate != nil { try coder.integer("strokeCount", &strokes, .uint16) }
        try coder.number("averageStrokeRate", &averageStrokeRate, rate, unit: .perMinute, bit: 1)
        try coder.integer("totalDistance", &distance, .uint24, unit: .metres, bit: 2)
        try coder.integer("instantaneousPace", &pace, .uint16, unit: .seconds, bit: 3)
        try coder.integer("averagePace", &averagePace, .uint16, unit: .seconds, bit: 4)
        try coder.integer("instantaneousPower", &power, .int16, unit: .watts, bit: 5)
        try coder.integer("averagePower", &averagePower, .int16, unit: .watts, bit: 6)
        try coder.integer("resistanceLevel", &resistance, .int16, bit: 7)
        try workout.code(&coder)
        coder.rest(&reserved)
    }
}

/// The fields that the data of all machines end with.
public struct FitnessWorkout: FieldGroup {
    /// The energy in kilocalories.
    public var energy: Energy?
    /// The heart rate per minute.
    public var heartRate: UInt8?
    /// The metabolic equivalent, in steps of 0.1.
    public var metabolicEquivalent: ProfileNumber?
    /// The elapsed and the remaining time in seconds.
    public var elapsed: UInt16?, remaining: UInt16?
    public init() {}

    /// The expended energy in kilocalories.
    public struct Energy: FieldGroup {
        /// The total, per hour, and per minute; all ones if unknown.
        public var total: UInt16 = 0xFFFF, perHour: UInt16 = 0xFFFF, perMinute: UInt8 = 0xFF
        public init() {}

        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            try coder.integer(
                "totalEnergy", &total, .uint16, unit: .kilocalories, specials: [0xFFFF: .unknown])
            try coder.integer(
                "energyPerHour", &perHour, .uint16, unit: .kilocalories, specials: [0xFFFF: .unknown])
            try coder.integer(
                "energyPerMinute", &perMinute, .uint8, unit: .kilocalories, specials: [0xFF: .unknown])
        }
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try code(&coder, from: 8)
    }

    /// Codes the fields, whose flags begin at a bit.
    mutating func code(_ coder: inout FieldCoder, from bit: Int) throws(ValueError) {
        try coder.group(&energy, bit: bit)
        try coder.integer("heartRate", &heartRate, .uint8, unit: .beatsPerMinute, bit: bit + 1)
        try coder.number("metabolicEquivalent", &metabolicEquivalent, .decimal(.uint8, -1), bit: bit + 2)
        try coder.integer("elapsedTime", &elapsed, .uint16, unit: .seconds, bit: bit + 3)
        try coder.integer("remainingTime", &remaining, .uint16, unit: .seconds, bit: bit + 4)
    }
}

extension FieldCoder {
    /// Codes a decimal number that is present unless a flag is set.
    mutating func unless(
        _ bit: Int, _ name: String, _ value: inout ProfileNumber?, _ layout: NumberLayout, unit: GATTUnit
    ) throws(ValueError) {
        guard !flag(bit, when: value == nil) else { return value = nil }
        var number = value ?? 0
        try self.number(name, &number, layout, unit: unit)
        value = number
    }

    /// Codes an integer that is present unless a flag is set.
    mutating func unless(
        _ bit: Int, _ name: String, _ value: inout UInt16?, _ format: IntegerFormat
    ) throws(ValueError) {
        guard !flag(bit, when: value == nil) else { return value = nil }
        var number = value ?? 0
        try integer(name, &number, format)
        value = number
    }
}
