import BluetoothModel

/// The layouts of masses and lengths, in SI units or in pounds and inches.
enum BodyLayout {
    /// The layout of a mass: units of 0.005 kg or 0.01 lb. `failed` is the value of a failed measurement.
    static func mass(_ isImperial: Bool, failed: Int64? = nil) -> NumberLayout {
        .scaled(
            .uint16, isImperial ? ExactDecimal(1, exponent: -2) : ExactDecimal(5, exponent: -3),
            specials: failed.map { [$0: ProfileNumber.Special.notANumber] } ?? [:])
    }
    static func massUnit(_ isImperial: Bool) -> GATTUnit { isImperial ? .pounds : .kilograms }
    /// The layout of a height: units of 0.001 m or 0.1 in.
    static func height(_ isImperial: Bool) -> NumberLayout { .decimal(.uint16, isImperial ? -1 : -3) }
    static func heightUnit(_ isImperial: Bool) -> GATTUnit { isImperial ? .inches : .metres }
}

/// The Weight Measurement characteristic (Weight Scale Service 1.0, 3.2).
public struct WeightMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A9D"

    /// The body mass index and the height.
    public struct BodyMassIndex: FieldGroup {
        public static let forms: [String: FieldForm] = ["bmi": FieldForm("BMI")]
        /// The body mass index in kilograms per square metre.
        public var index: ProfileNumber = ProfileNumber(0, exponent: -1)
        /// The height in metres or inches.
        public var height: ProfileNumber = 0
        /// True if the height is in inches. The flag belongs to the measurement.
        var isImperial = false
        public init() {}
        public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
            isImperial = coder.flag(0, when: isImperial)
            try coder.number("bmi", &index, .decimal(.uint16, -1), unit: .kilogramsPerSquareMetre)
            try coder.number(
                "height", &height, BodyLayout.height(isImperial), unit: BodyLayout.heightUnit(isImperial))
        }
    }

    /// The weight in kilograms or pounds; ``ProfileNumber/Special/notANumber`` if the measurement failed.
    public var weight: ProfileNumber = 0
    /// True if weight and height are in pounds and inches, false for kilograms and metres.
    public var isImperial = false
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The index of the user; 255 if the user is unknown.
    public var userID: UInt8?
    /// The body mass index and the height.
    public var bodyMassIndex: BodyMassIndex?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

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

/// The features of a weight scale (Weight Scale Service 1.0, 3.1).
public struct WeightScaleFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A9E"

    /// Feature bits. Bits 3 to 6 are the weight resolution and bits 7 to 9 the height resolution, as numbers.
    public struct Features: NamedBits {
        public var rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let names = ["timeStamp", "multipleUsers", "bmi"]
    }

    /// The supported features.
    public var features: Features = []

    public init() {}

    /// The weight resolution: 0 unspecified, 1 to 7 from 0.5 kg to 0.005 kg.
    public var weightResolution: UInt8 { UInt8(features.rawValue >> 3 & 15) }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("weightScaleFeature", &features, .uint32)
        coder.describe("weightMeasurementResolution", .integer(Int64(weightResolution)))
        coder.describe("heightMeasurementResolution", .integer(Int64(features.rawValue >> 7 & 7)))
    }
}
