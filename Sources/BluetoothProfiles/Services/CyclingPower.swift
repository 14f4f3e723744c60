import BluetoothModel

/// The Cycling Power Measurement characteristic (Cycling Power Service 1.1, 3.2).
public struct CyclingPowerMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A63"
    /// The power in watts.
    public var power: Int16 = 0
    /// The share of one pedal in percent, in steps of 0.5; nil if unknown.
    public var pedalBalance: ProfileNumber?
    /// True if ``pedalBalance`` is that of the left pedal, false if the pedal is not known.
    public var isLeftBalance = false
    /// The accumulated torque in 1/32 Nm; nil if unknown. Wraps around.
    public var torque: UInt16?
    /// True if the torque is that of the crank, false if it is that of the wheel.
    public var isCrankTorque = false
    /// The wheel revolutions; the time is in units of 1/2048 s.
    public var wheel: RevolutionCount?
    /// The crank revolutions, a count of 16 bits; the time is in units of 1/1024 s.
    public var crank: RevolutionCount?
    /// The greatest and the least force in newtons.
    public var forces: Extremes?
    /// The greatest and the least torque in 1/32 Nm.
    public var torques: Extremes?
    /// The angles of the greatest and the least magnitude, in degrees.
    public var angles: ExtremeAngles?
    /// The angles of the dead spots in degrees.
    public var topDeadSpot: UInt16?, bottomDeadSpot: UInt16?
    /// The accumulated energy in kilojoules.
    public var energy: UInt16?
    /// True if the offset of the sensor is being compensated.
    public var isOffsetCompensated = false
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    /// Two extreme values of a revolution.
    public struct Extremes: Hashable, Sendable {
        /// The greatest and the least value.
        public var greatest: Int16 = 0, least: Int16 = 0
        /// Creates zeros.
        public init() {}
    }

    /// Two angles of 12 bits in three bytes, the greatest first.
    public struct ExtremeAngles: Hashable, Sendable {
        /// The angles of the greatest and the least magnitude, 0 to 4095.
        public var greatest: UInt16 = 0, least: UInt16 = 0
        /// Creates zeros.
        public init() {}
    }

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint16, known: 0x1FFF, &reserved)
        try coder.integer("instantaneousPower", &power, .int16, unit: .watts)
        try coder.number(
            "pedalPowerBalance", &pedalBalance, .multiple(.uint8, of: ExactDecimal(5, exponent: -1)), unit: .percent,
            bit: 0)
        isLeftBalance = coder.flag(1, when: isLeftBalance)
        try torque(&coder)
        try Self.count(&coder, &wheel, "Wheel", bit: 4, .uint32, 1.0 / 2048)
        try Self.count(&coder, &crank, "Crank", bit: 5, .uint16, 1.0 / 1024)
        try Self.extremes(&coder, &forces, "ForceMagnitude", bit: 6, 1, .newtons)
        try Self.extremes(&coder, &torques, "TorqueMagnitude", bit: 7, 1.0 / 32, .newtonMetres)
        try angles(&coder)
        try coder.integer("topDeadSpotAngle", &topDeadSpot, .uint16, unit: .degrees, bit: 9)
        try coder.integer("bottomDeadSpotAngle", &bottomDeadSpot, .uint16, unit: .degrees, bit: 10)
        try coder.integer("accumulatedEnergy", &energy, .uint16, unit: .kilojoules, bit: 11)
        isOffsetCompensated = coder.flag(12, when: isOffsetCompensated)
        coder.rest(&reserved)
    }

    private mutating func torque(_ coder: inout FieldCoder) throws(ValueError) {
        if coder.flag(2, when: torque != nil) {
            var value = torque ?? 0
            try coder.count("accumulatedTorque", &value, times: 1.0 / 32, unit: .newtonMetres)
            torque = value
        }
        isCrankTorque = coder.flag(3, when: isCrankTorque)
    }

    private static func count(
        _ coder: inout FieldCoder, _ count: inout RevolutionCount?, _ part: String, bit: Int, _ format: IntegerFormat,
        _ unit: Double
    ) throws(ValueError) {
        guard coder.flag(bit, when: count != nil) else { return }
        var value = count ?? RevolutionCount()
        try coder.integer("cumulative\(part)Revolutions", &value.revolutions, format)
        try coder.count("last\(part)EventTime", &value.lastEventTime, times: unit, unit: .seconds)
        count = value
    }

    private static func extremes(
        _ coder: inout FieldCoder, _ extremes: inout Extremes?, _ part: String, bit: Int, _ factor: Double,
        _ unit: GATTUnit
    ) throws(ValueError) {
        guard coder.flag(bit, when: extremes != nil) else { return }
        var value = extremes ?? Extremes()
        func shown(_ raw: Int64) -> FieldValue { factor == 1 ? .integer(raw) : .real(Double(raw) * factor) }
        try coder.integer("maximum\(part)", &value.greatest, .int16, unit: unit, shown: shown)
        try coder.integer("minimum\(part)", &value.least, .int16, unit: unit, shown: shown)
        extremes = value
    }

    private mutating func angles(_ coder: inout FieldCoder) throws(ValueError) {
        guard coder.flag(8, when: angles != nil) else { return }
        var value = angles ?? ExtremeAngles()
        try coder.bitFields("extremeAngles", .uint24) { bits throws(ValueError) in
            // The upper 12 bits of the number are the later field.
            try bits.integer("minimumAngle", &value.least, bits: 12, unit: .degrees)
            try bits.integer("maximumAngle", &value.greatest, bits: 12, unit: .degrees)
        }
        angles = value
    }
}
