import Harald

/// A peripheral in words: what it is called, what it advertises, what is in its GATT database, and how it behaves.
///
/// It comes from a YAML file (see Documentation/DeviceFiles.md) or from code, and runs as a ``VirtualDevice`` on the
/// virtual radio or on a real adapter.
public struct DeviceFile: Hashable, Sendable {
    /// The GAP name, which is also advertised.
    public var name: String
    /// The address on the air.
    public var address: OwnAddress
    /// The GAP appearance.
    public var appearance: Appearance
    /// What it advertises.
    public var advertising: DeviceAdvertising
    /// Its services. A service without a handle follows the highest one before it; 1800 and 1801 come first.
    public var services: [DeviceService]
    /// Whether services 1800 and 1801 are added where ``services`` has none of its own.
    public var addsGenericServices = true
    /// How long after a central connected it ends the link; nil for never.
    public var disconnectAfter: Duration?
    /// The passkey that is printed on it, 0 to 999999; nil for a device that pairs with nothing to compare.
    public var passkey: UInt32?
    /// What it does that nothing above can say; nil for nothing.
    public var program: DeviceProgramKind?

    /// A device.
    public init(
        name: String, address: OwnAddress = .automatic, appearance: Appearance = .unknown,
        advertising: DeviceAdvertising = .init(), services: [DeviceService] = [], disconnectAfter: Duration? = nil
    ) {
        self.name = name
        self.address = address
        self.appearance = appearance
        self.advertising = advertising
        self.services = services
        self.disconnectAfter = disconnectAfter
    }
}
