import BluetoothModel

// The characteristics of the User Data Service 1.1, 3.1.

/// The first name.
public struct FirstName: TextValue {
    public static let uuid: BluetoothUUID = "2A8A"
    /// The name of the field.
    public static let fieldName = "firstName"
    /// The text.
    public var text = ""
    public init() {}
}

/// The last name.
public struct LastName: TextValue {
    public static let uuid: BluetoothUUID = "2A90"
    /// The name of the field.
    public static let fieldName = "lastName"
    /// The text.
    public var text = ""
    public init() {}
}

/// The email address.
public struct EmailAddress: TextValue {
    public static let uuid: BluetoothUUID = "2A87"
    /// The name of the field.
    public static let fieldName = "emailAddress"
    /// The text.
    public var text = ""
    public init() {}
}

/// The language, as the two letters of ISO 639-1.
public struct UserLanguage: TextValue {
    public static let uuid: BluetoothUUID = "2AA2"
    /// The name of the field.
    public static let fieldName = "language"
    /// The text.
    public var text = ""
    public init() {}
}

/// The age.
public struct Age: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A80"
    /// The age in years.
    public var value: UInt8 = 0
    public init() {}
    /// Creates an age in years.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("age", &value, .uint8, unit: .years)
    }
}

/// The maximum heart rate that the user can reach.
public struct HeartRateMax: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A8D"
    /// The rate in beats per minute.
    public var value: UInt8 = 0
    public init() {}
    /// Creates a rate in beats per minute.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("heartRateMax", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The lowest heart rate at rest.
public struct RestingHeartRate: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A92"
    /// The rate in beats per minute.
    public var value: UInt8 = 0
    public init() {}
    /// Creates a rate in beats per minute.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("restingHeartRate", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The maximum heart rate that is recommended for the user.
public struct MaximumRecommendedHeartRate: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A91"
    /// The rate in beats per minute.
    public var value: UInt8 = 0
    public init() {}
    /// Creates a rate in beats per minute.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("maximumRecommendedHeartRate", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The maximum oxygen uptake.
public struct VO2Max: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A96"
    /// The uptake in millilitres per kilogram per minute.
    public var value: UInt8 = 0
    public init() {}
    /// Creates an uptake in millilitres per kilogram per minute.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("vo2Max", &value, .uint8, unit: .millilitresPerKilogramPerMinute)
    }
}

/// The heart rate of the aerobic threshold.
public struct AerobicThreshold: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A7F"
    /// The rate in beats per minute.
    public var value: UInt8 = 0
    public init() {}
    /// Creates a rate in beats per minute.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("aerobicThreshold", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The heart rate of the anaerobic threshold.
public struct AnaerobicThreshold: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A83"
    /// The rate in beats per minute.
    public var value: UInt8 = 0
    public init() {}
    /// Creates a rate in beats per minute.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("anaerobicThreshold", &value, .uint8, unit: .beatsPerMinute)
    }
}

/// The counter that is incremented with each change of the user's data.
public struct DatabaseChangeIncrement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A99"
    /// The count.
    public var value: UInt32 = 0
    public init() {}
    /// Creates a count.
    public init(_ value: UInt32) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("databaseChangeIncrement", &value, .uint32)
    }
}

/// The index of a user of the device; 255 if unknown.
public struct UserIndex: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A9A"
    /// The index of an unknown user (User Data Service 1.1, 3.4).
    static let specials: [Int64: ProfileNumber.Special] = [255: .unknown]
    /// The index.
    public var value: UInt8 = 0
    public init() {}
    /// Creates an index.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("userIndex", &value, .uint8, specials: Self.specials)
    }
}

/// The weight of the user, with a resolution of 0.005 kg.
public struct UserWeight: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A98"
    /// The weight in kilograms.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a weight in kilograms.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("weight", &value, .scaled(.uint16, ExactDecimal(5, exponent: -3)), unit: .kilograms)
    }
}

/// The height of the user, with a resolution of 0.01 m.
public struct UserHeight: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A8E"
    /// The height in metres.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a height in metres.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("height", &value, .decimal(.uint16, -2), unit: .metres)
    }
}

/// The waist circumference, with a resolution of 0.01 m.
public struct WaistCircumference: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A97"
    /// The circumference in metres.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a circumference in metres.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("waistCircumference", &value, .decimal(.uint16, -2), unit: .metres)
    }
}

/// The hip circumference, with a resolution of 0.01 m.
public struct HipCircumference: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A8F"
    /// The circumference in metres.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a circumference in metres.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("hipCircumference", &value, .decimal(.uint16, -2), unit: .metres)
    }
}

/// The date of birth.
public struct DateOfBirth: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A85"
    /// The date. Its time of day is ignored.
    public var date = DateTime()
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.date("dateOfBirth", &date)
    }
}

/// The gender of the user.
public struct Gender: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A8C"
    /// A gender.
    public struct Kind: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [0: "male", 1: "female", 2: "unspecified"]
    }
    /// The gender.
    public var gender = Kind(rawValue: 2)
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try coder.code("gender", &gender) }
}

/// The User Control Point: registration, consent and deletion of users (User Data Service 1.1, 3.3).
public struct UserControlPoint: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A9F"

    /// The op code of a command or a response.
    public struct OpCode: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            1: "register new user", 2: "consent", 3: "delete user data", 4: "list all users", 5: "delete users",
            32: "response code",
        ]
        /// Registers a user with a consent code.
        public static let register = OpCode(rawValue: 1)
        /// Selects a user with its consent code.
        public static let consent = OpCode(rawValue: 2)
        /// Reports the result of a command.
        public static let response = OpCode(rawValue: 32)
    }

    /// The op code.
    public var opCode = OpCode.register
    /// The parameter.
    public var parameter: [UInt8] = []

    public init() {}

    /// Creates the command that selects a user.
    public static func consent(user: UInt8, code: UInt16) -> UserControlPoint {
        UserControlPoint {
            $0.opCode = .consent
            $0.parameter = [user, UInt8(truncatingIfNeeded: code), UInt8(code >> 8)]
        }
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("opCode", &opCode)
        try coder.hiddenBytes("parameter", &parameter)
        if !parameter.isEmpty { coder.describe("parameter", .bytes(parameter)) }
    }
}
