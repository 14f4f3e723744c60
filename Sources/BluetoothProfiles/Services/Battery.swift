import BluetoothModel

/// The charge of a battery (Battery Service 1.0, 3.1).
public struct BatteryLevel: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A19"
    /// The charge in percent, 0 to 100.
    public var level: UInt8 = 0

    public init() {}
    /// Creates a level in percent.
    public init(_ level: UInt8) { self.level = level }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("batteryLevel", &level, .uint8, unit: .percent, in: 0...100)
    }
}
