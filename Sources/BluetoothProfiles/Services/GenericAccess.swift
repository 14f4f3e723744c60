import BluetoothModel

/// The Appearance characteristic: the category of a device (Core 6.0, Vol 3, Part C, 12.2).
public struct AppearanceValue: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A01"
    /// The appearance.
    public var appearance = Appearance(rawValue: 0)
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        var raw = appearance.rawValue
        try coder.integer("appearance", &raw, .uint16) {
            .code($0, Appearance(rawValue: UInt16(truncatingIfNeeded: $0)).description)
        }
        appearance = Appearance(rawValue: raw)
    }
}

/// The connection parameters that a device prefers (Core 6.0, Vol 3, Part C, 12.3).
public struct PreferredConnectionParameters: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A04"
    /// The minimum connection interval in units of 1.25 ms; 0xFFFF for no preference.
    public var minimumInterval: UInt16 = 0xFFFF
    /// The maximum connection interval in units of 1.25 ms; 0xFFFF for no preference.
    public var maximumInterval: UInt16 = 0xFFFF
    /// The peripheral latency in connection events.
    public var latency: UInt16 = 0
    /// The supervision timeout in units of 10 ms; 0xFFFF for no preference.
    public var timeout: UInt16 = 0xFFFF
    public init() {}
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

/// The Client Characteristic Configuration descriptor (Core 6.0, Vol 3, Part G, 3.3.3.3).
public struct ClientCharacteristicConfiguration: CharacteristicType {
    public static let uuid: BluetoothUUID = "2902"
    /// The kinds of subscription.
    public struct Ways: NamedBits {
        public var rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let names = ["notifications", "indications"]
    }
    /// The active subscriptions.
    public var ways: Ways = []
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("clientCharacteristicConfiguration", &ways, .uint16)
    }
}

/// The Characteristic User Description descriptor (Core 6.0, Vol 3, Part G, 3.3.3.2).
public struct CharacteristicUserDescription: TextValue {
    public static let uuid: BluetoothUUID = "2901"
    /// The name of the field.
    public static let fieldName = "userDescription"
    /// The text.
    public var text = ""
    public init() {}
}

/// The transmit power level of a device (Tx Power Service 1.0, 3.1).
public struct TxPowerLevel: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A07"
    /// The transmit power in dBm.
    public var power: Int8 = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("txPowerLevel", &power, .int8, unit: .decibelMilliwatts)
    }
}
