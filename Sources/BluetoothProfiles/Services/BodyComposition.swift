import BluetoothModel

/// The Body Composition Measurement characteristic (Body Composition Service 1.0, 3.2). A measurement that does not fit
/// into one value is sent as two values, each with ``isMultiplePacket``.
public struct BodyCompositionMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A9C"
    /// The body fat in percent; ``ProfileNumber/Special/notANumber`` if the measurement failed.
    public var bodyFatPercentage: ProfileNumber = ProfileNumber(0, exponent: -1)
    /// True if masses and height are in pounds and inches, false for kilograms and metres.
    public var isImperial = false
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The index of the user; 255 if the user is unknown.
    public var userID: UInt8?
    /// The basal metabolism in kilojoules.
    public var basalMetabolism: UInt16?
    /// The muscle percentage.
    public var musclePercentage: ProfileNumber?
    /// The muscle mass in kilograms or pounds.
    public var muscleMass: ProfileNumber?
    /// The fat-free mass in kilograms or pounds.
    public var fatFreeMass: ProfileNumber?
    /// The soft lean mass in kilograms or pounds.
    public var softLeanMass: ProfileNumber?
    /// The body water mass in kilograms or pounds.
    public var bodyWaterMass: ProfileNumber?
    /// The impedance in ohms.
    public var impedance: ProfileNumber?
    /// The weight in kilograms or pounds.
    public var weight: ProfileNumber?
    /// The height in metres or inches.
    public var height: ProfileNumber?
    /// True if the measurement is split into two values.
    public var isMultiplePacket = false
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

    /// Combines the two values of a split measurement. Fields of this value take precedence.
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

/// The features of a body composition scale (Body Composition Service 1.0, 3.1).
public struct BodyCompositionFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A9B"

    /// Feature bits. Bits 11 to 14 are the mass resolution and bits 15 to 17 the height resolution, as numbers.
    public struct Features: NamedBits {
        public var rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let names = [
            "timeStamp", "multipleUsers", "basalMetabolism", "musclePercentage", "muscleMass", "fatFreeMass",
            "softLeanMass", "bodyWaterMass", "impedance", "weight", "height",
        ]
    }

    /// The supported features.
    public var features: Features = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("bodyCompositionFeature", &features, .uint32)
        coder.describe("massMeasurementResolution", .integer(Int64(features.rawValue >> 11 & 15)))
        coder.describe("heightMeasurementResolution", .integer(Int64(features.rawValue >> 15 & 7)))
    }
}
