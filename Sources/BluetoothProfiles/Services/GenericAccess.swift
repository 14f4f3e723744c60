import BluetoothModel

/// What a device is (Core 6.0, Vol 3, Part C, 12.2).
public struct AppearanceValue: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A01"
    /// What it is.
    public var appearance = Appearance(rawValue: 0)
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        var raw = appearance.rawValue
        try coder.integer("appearance", &raw, .uint16) {
            .code($0, Appearance(rawValue: UInt16(truncatingIfNeeded: $0)).description)
        }
        appearance = Appearance(rawValue: raw)
    }
}

/// The connection that a device would like (Core 6.0, Vol 3, Part C, 12.3).
public struct PreferredConnectionParameters: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A04"
    /// 1.25 ms; 0xFFFF for any.
    public var minimumInterval: UInt16 = 0xFFFF
    /// 1.25 ms; 0xFFFF for any.
    public var maximumInterval: UInt16 = 0xFFFF
    /// How many events it may sleep through.
    public var latency: UInt16 = 0
    /// 10 ms; 0xFFFF for any.
    public var timeout: UInt16 = 0xFFFF
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        func time(_ unit: Double, in range: ClosedRange<Int64>) -> (Int64) -> FieldValue {
            { range.contains($0) ? .real(Double($0) * unit) : .number(.special(.reserved)) }
        }
        let specials: [Int64: ProfileNumber.Special] = [0xFFFF: .unspecified]
        try coder.integer(
            "minimumConnectionInterval", &minimumInterval, .uint16, unit: .milliseconds, specials: specials,
            shown: time(1.25, in: 6...3200))
        try coder.integer(
            "maximumConnectionInterval", &maximumInterval, .uint16, unit: .milliseconds, specials: specials,
            shown: time(1.25, in: 6...3200))
        try coder.integer("peripheralLatency", &latency, .uint16) {
            (0...499).contains($0) ? .integer($0) : .number(.special(.reserved))
        }
        try coder.integer(
            "connectionSupervisionTimeoutMultiplier", &timeout, .uint16, unit: .milliseconds, specials: specials,
            shown: time(10, in: 10...3200))
    }
}

/// How a characteristic is subscribed to (Core 6.0, Vol 3, Part G, 3.3.3.3).
public struct ClientCharacteristicConfiguration: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2902"
    /// Ways.
    public struct Ways: NamedBits {
        /// The number.
        public var rawValue: UInt16
        /// A value from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names = ["notifications", "indications"]
    }
    /// The ways.
    public var ways: Ways = []
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("clientCharacteristicConfiguration", &ways, .uint16)
    }
}

/// What a characteristic is for, in words (Core 6.0, Vol 3, Part G, 3.3.3.2).
public struct CharacteristicUserDescription: TextValue {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2901"
    /// The name of its field.
    public static let fieldName = "userDescription"
    /// The text.
    public var text = ""
    /// Nothing is set yet.
    public init() {}
}

/// The power that a device sends with (Tx Power Service 1.0, 3.1).
public struct TxPowerLevel: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A07"
    /// The power that the device sends with, in dBm.
    public var power: Int8 = 0
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("txPowerLevel", &power, .int8, unit: .decibelMilliwatts)
    }
}
