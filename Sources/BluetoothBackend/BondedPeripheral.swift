import BluetoothModel

/// A device that keys are shared with, as it is listed: nothing in it is secret.
public struct BondedPeripheral: Hashable, Sendable {
    /// Which device.
    public var id: PeripheralID
    /// Its identity address, where the platform shows it.
    public var address: BluetoothAddress?
    /// The name it was last known by.
    public var name: String?
    /// How well the keys protect a link.
    public var level: LinkSecurity.Level
    /// Whether the keys were made by LE Secure Connections.
    public var isSecureConnections: Bool
    /// How many octets of the key are secret, 7 to 16.
    public var keySize: UInt8
    /// Which of our addresses the bond belongs to, where the platform shows it.
    public var localAddress: BluetoothAddress?

    /// A bond.
    public init(
        id: PeripheralID, address: BluetoothAddress? = nil, name: String? = nil, level: LinkSecurity.Level,
        isSecureConnections: Bool, keySize: UInt8, localAddress: BluetoothAddress? = nil
    ) {
        self.id = id
        self.address = address
        self.name = name
        self.level = level
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize
        self.localAddress = localAddress
    }
}
