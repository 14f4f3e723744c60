import BluetoothModel

/// How full a battery is (Battery Service 1.0, 3.1).
public struct BatteryLevel: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A19"
    /// Percent, 0 to 100.
    public var level: UInt8 = 0

    /// Nothing is set yet.
    public init() {}
    /// A level in percent.
    public init(_ level: UInt8) { self.level = level }

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("batteryLevel", &level, .uint8, unit: .percent, in: 0...100)
    }
}
