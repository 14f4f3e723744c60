/// A device known from this run or an earlier one.
public struct KnownPeripheral: Hashable, Sendable {
    /// The identifier of the device.
    public var id: PeripheralID
    /// The address, if the platform shows it.
    public var address: BluetoothAddress?
    /// The last known name.
    public var name: String?

    /// Creates a known device.
    public init(id: PeripheralID, address: BluetoothAddress? = nil, name: String? = nil) {
        self.id = id
        self.address = address
        self.name = name
    }
}
