import BluetoothModel

/// The layouts of masses and lengths, which depend on a flag: SI, or pounds and inches.
enum BodyLayout {
    /// 0.005 kg or 0.01 lb; 0xFFFF where the measurement failed.
    static func mass(_ isImperial: Bool, failed: Int64? = nil) -> NumberLayout {
        .scaled(
            .uint16, isImperial ? ExactDecimal(1, exponent: -2) : ExactDecimal(5, exponent: -3),
            specials: failed.map { [$0: ProfileNumber.Special.notANumber] } ?? [:])
    }
    static func massUnit(_ isImperial: Bool) -> GATTUnit { isImperial ? .pounds : .kilograms }
    /// 0.001 m or 0.1 in.
    static func height(_ isImperial: Bool) -> NumberLayout { .decimal(.uint16, isImperial ? -1 : -3) }
    static func heightUnit(_ isImperial: Bool) -> GATTUnit { isImperial ? .inches : .metres }
}

/// A weight (Weight Scale Service 1.0, 3.2).
public struct WeightMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A9D"

    /// How the weight lies to the height.
    public struct BodyMassIndex: FieldGroup {
        /// Kilograms per square metre.
        public var index: ProfileNumber = ProfileNumber(0, exponent: -1)
        /// Metres or inches.
        public var height: ProfileNumber = 0
        /// Whether the height is in inches; the measurement says so.
        var isImperial = false
        /// Nothing is set yet.
        public init() {}
        /// Names the fields.
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            isImperial = coder.flag(0, when: isImperial)
            try coder.number("bmi", &index, .decimal(.uint16, -1), unit: .kilogramsPerSquareMetre)
            try coder.number(
                "height", &height, BodyLayout.height(isImperial), unit: BodyLayout.heightUnit(isImperial))
        }
    }

    /// Kilograms or pounds; ``ProfileNumber/Special/notANumber`` where it could not be measured.
    public var weight: ProfileNumber = 0
    /// Whether weight and height are in pounds and inches.
    public var isImperial = false
    /// When it was taken.
    public var timeStamp: DateTime?
    /// Whose it is; 255 for a user who is not known.
    public var userID: UInt8?
    /// How it lies to the height.
    public var bodyMassIndex: BodyMassIndex?
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x0F, &reserved)
        isImperial = coder.flag(0, when: isImperial)
        let (layout, unit) = (BodyLayout.mass(isImperial, failed: 0xFFFF), BodyLayout.massUnit(isImperial))
        try coder.number("weight", &weight, layout, unit: unit)
        try coder.time("timeStamp", &timeStamp, bit: 1)
        try coder.integer("userID", &userID, .uint8, specials: UserIndex.specials, bit: 2)
        bodyMassIndex?.isImperial = isImperial
        try coder.group(&bodyMassIndex, bit: 3)
        coder.rest(&reserved)
    }
}

/// What a scale can do (Weight Scale Service 1.0, 3.1).
public struct WeightScaleFeature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A9E"

    /// Abilities; the resolutions of weight (bits 3 to 6) and height (7 to 9) are numbers.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt32
        /// A value from its number.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names = ["timeStamp", "multipleUsers", "bmi"]
    }

    /// What it can do.
    public var features: Features = []

    /// Nothing is set yet.
    public init() {}

    /// The resolution of weight: 0 not said, 1 to 7 from 0.5 kg to 0.005 kg.
    public var weightResolution: UInt8 { UInt8(features.rawValue >> 3 & 15) }

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("weightScaleFeature", &features, .uint32)
        coder.describe("weightMeasurementResolution", .integer(Int64(weightResolution)))
        coder.describe("heightMeasurementResolution", .integer(Int64(features.rawValue >> 7 & 7)))
    }
}
