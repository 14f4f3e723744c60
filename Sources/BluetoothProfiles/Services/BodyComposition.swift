import BluetoothModel

/// What a body is made of (Body Composition Service 1.0, 3.2). A device that has more to say than fits sends two
/// values, each with ``isMultiplePacket``.
public struct BodyCompositionMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A9C"
    /// Percent; ``ProfileNumber/Special/notANumber`` where it could not be measured.
    public var bodyFatPercentage: ProfileNumber = ProfileNumber(0, exponent: -1)
    /// Whether masses and the height are in pounds and inches.
    public var isImperial = false
    /// When it was taken.
    public var timeStamp: DateTime?
    /// Whose it is; 255 for a user who is not known.
    public var userID: UInt8?
    /// Kilojoules.
    public var basalMetabolism: UInt16?
    /// Percent.
    public var musclePercentage: ProfileNumber?
    /// Kilograms or pounds.
    public var muscleMass: ProfileNumber?
    /// Kilograms or pounds.
    public var fatFreeMass: ProfileNumber?
    /// Kilograms or pounds.
    public var softLeanMass: ProfileNumber?
    /// Kilograms or pounds.
    public var bodyWaterMass: ProfileNumber?
    /// Ohms.
    public var impedance: ProfileNumber?
    /// Kilograms or pounds.
    public var weight: ProfileNumber?
    /// Metres or inches.
    public var height: ProfileNumber?
    /// Whether it takes two values to say everything.
    public var isMultiplePacket = false
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Both halves of a measurement that took two values.
    public func merged(with other: BodyCompositionMeasurement) -> BodyCompositionMeasurement {
        var both = self
        both.isMultiplePacket = false
        both.timeStamp = timeStamp ?? other.timeStamp
        both.userID = userID ?? other.userID
        both.basalMetabolism = basalMetabolism ?? other.basalMetabolism
        both.musclePercentage = musclePercentage ?? other.musclePercentage
        both.muscleMass = muscleMass ?? other.muscleMass
        both.fatFreeMass = fatFreeMass ?? other.fatFreeMass
        both.softLeanMass = softLeanMass ?? other.softLeanMass
        both.bodyWaterMass = bodyWaterMass ?? other.bodyWaterMass
        both.impedance = impedance ?? other.impedance
        both.weight = weight ?? other.weight
        both.height = height ?? other.height
        return both
    }

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint16, known: 0x1FFF, &reserved)
        isImperial = coder.flag(0, when: isImperial)
        let percent = NumberLayout.decimal(.uint16, -1)
        let (mass, unit) = (BodyLayout.mass(isImperial), BodyLayout.massUnit(isImperial))
        try coder.number(
            "bodyFatPercentage", &bodyFatPercentage,
            .scaled(.uint16, ExactDecimal(1, exponent: -1), specials: [0xFFFF: .notANumber]), unit: .percent)
        try coder.time("timeStamp", &timeStamp, bit: 1)
        try coder.integer("userID", &userID, .uint8, specials: UserIndex.specials, bit: 2)
        try coder.integer("basalMetabolism", &basalMetabolism, .uint16, unit: .kilojoules, bit: 3)
        try coder.number("musclePercentage", &musclePercentage, percent, unit: .percent, bit: 4)
        try coder.number("muscleMass", &muscleMass, mass, unit: unit, bit: 5)
        try coder.number("fatFreeMass", &fatFreeMass, mass, unit: unit, bit: 6)
        try coder.number("softLeanMass", &softLeanMass, mass, unit: unit, bit: 7)
        try coder.number("bodyWaterMass", &bodyWaterMass, mass, unit: unit, bit: 8)
        try coder.number("impedance", &impedance, .decimal(.uint16, -1), unit: .ohms, bit: 9)
        try coder.number("weight", &weight, mass, unit: unit, bit: 10)
        try coder.number(
            "height", &height, BodyLayout.height(isImperial), unit: BodyLayout.heightUnit(isImperial), bit: 11)
        isMultiplePacket = coder.flag(12, when: isMultiplePacket)
        coder.rest(&reserved)
    }
}

/// What a body composition scale can do (Body Composition Service 1.0, 3.1).
public struct BodyCompositionFeature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A9B"

    /// Abilities; the resolutions of mass (bits 11 to 14) and height (15 to 17) are numbers.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt32
        /// A value from its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "timeStamp", "multipleUsers", "basalMetabolism", "musclePercentage", "muscleMass", "fatFreeMass",
            "softLeanMass", "bodyWaterMass", "impedance", "weight", "height",
        ]
    }

    /// What it can do.
    public var features: Features = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("bodyCompositionFeature", &features, .uint32)
        coder.describe("massMeasurementResolution", .integer(Int64(features.rawValue >> 11 & 15)))
        coder.describe("heightMeasurementResolution", .integer(Int64(features.rawValue >> 15 & 7)))
    }
}
