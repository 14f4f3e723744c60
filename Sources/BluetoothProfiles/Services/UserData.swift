import BluetoothModel

// What is known of a user (User Data Service 1.1, 3.1).

/// The first name.
public struct FirstName: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A8A"
    /// The name of its field.
    public static let fieldName = "firstName"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// The last name.
public struct LastName: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A90"
    /// The name of its field.
    public static let fieldName = "lastName"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// The address for mail.
public struct EmailAddress: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A87"
    /// The name of its field.
    public static let fieldName = "emailAddress"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// The language: ISO 639-1, two letters.
public struct UserLanguage: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AA2"
    /// The name of its field.
    public static let fieldName = "language"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// How old the user is.
public struct Age: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A80"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("age", &value, .uint8, unit: .years)
    }
}

/// The highest heart rate that the user can reach.
public struct HeartRateMax: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A8D"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("heartRateMax", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The lowest heart rate at rest.
public struct RestingHeartRate: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A92"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("restingHeartRate", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The highest heart rate that is good for the user.
public struct MaximumRecommendedHeartRate: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A91"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("maximumRecommendedHeartRate", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// How much oxygen the user can take up.
public struct VO2Max: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A96"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("vo2Max", &value, .uint8, unit: .millilitresPerKilogramPerMinute)
    }
}

/// The heart rate at which aerobic training begins.
public struct AerobicThreshold: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A7F"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("aerobicThreshold", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The heart rate at which anaerobic training begins.
public struct AnaerobicThreshold: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A83"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("anaerobicThreshold", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// Counts changes of the user's data.
public struct DatabaseChangeIncrement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A99"
    /// The number.
    public var value: UInt32 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt32) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("databaseChangeIncrement", &value, .uint32)
    }
}

/// Which of a device's users; 255 for one who is not known.
public struct UserIndex: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A9A"
    /// The index that names no user (User Data Service 1.1, 3.4).
    static let specials: [Int64: ProfileNumber.Special] = [255: .unknown]
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("userIndex", &value, .uint8, specials: Self.specials)
    }
}

/// How heavy the user is, in steps of 5 g.
public struct UserWeight: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A98"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("weight", &value, .scaled(.uint16, ExactDecimal(5, exponent: -3)), unit: .kilograms)
    }
}

/// How tall the user is, in centimetres.
public struct UserHeight: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A8E"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("height", &value, .decimal(.uint16, -2), unit: .metres)
    }
}

/// Around the waist, in centimetres.
public struct WaistCircumference: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A97"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("waistCircumference", &value, .decimal(.uint16, -2), unit: .metres)
    }
}

/// Around the hips, in centimetres.
public struct HipCircumference: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A8F"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("hipCircumference", &value, .decimal(.uint16, -2), unit: .metres)
    }
}

/// When the user was born.
public struct DateOfBirth: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A85"
    /// The day; its time of day counts for nothing.
    public var date = DateTime()
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.date("dateOfBirth", &date)
    }
}

/// What the user's body is like.
public struct Gender: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A8C"
    /// A gender.
    public struct Kind: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [0: "male", 1: "female", 2: "unspecified"]
    }
    /// The gender.
    public var gender = Kind(rawValue: 2)
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try coder.code("gender", &gender) }
}

/// Whose data are meant, and whether they may be seen (User Data Service 1.1, 3.3).
public struct UserControlPoint: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A9F"

    /// A command, or an answer.
    public struct OpCode: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            1: "register new user", 2: "consent", 3: "delete user data", 4: "list all users", 5: "delete users",
            32: "response code",
        ]
        /// Makes a user, with a code that is to be remembered.
        public static let register = OpCode(rawValue: 1)
        /// Chooses a user, with the code.
        public static let consent = OpCode(rawValue: 2)
        /// Says how a command ended.
        public static let response = OpCode(rawValue: 32)
    }

    /// The command, or the answer.
    public var opCode = OpCode.register
    /// What belongs to it.
    public var parameter: [UInt8] = []

    /// Nothing is set yet.
    public init() {}

    /// Chooses a user.
    public static func consent(user: UInt8, code: UInt16) -> UserControlPoint {
        UserControlPoint {
            $0.opCode = .consent
            $0.parameter = [user, UInt8(truncatingIfNeeded: code), UInt8(code >> 8)]
        }
    }

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        try coder.hiddenBytes("parameter", &parameter)
        if !parameter.isEmpty { coder.describe("parameter", .bytes(parameter)) }
    }
}
