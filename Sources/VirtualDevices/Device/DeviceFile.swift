import Harald

/// A declarative description of a peripheral: name, advertising, GATT database and behaviour.
///
/// Created from a YAML file (see Documentation/DeviceFiles.md) or from code. Runs as a ``VirtualDevice`` on the virtual
/// radio or on a real adapter.
public struct DeviceFile: Hashable, Sendable {
    /// The GAP name, which is advertised by default.
    public var name: String
    /// The address of the device.
    public var address: OwnAddress
    /// The GAP appearance.
    public var appearance: Appearance
    /// The advertising.
    public var advertising: DeviceAdvertising
    /// The services. A service without a handle is placed after the highest handle before it; 1800 and 1801 are placed
    /// first.
    public var services: [DeviceService]
    /// True if services 1800 and 1801 are added if ``services`` does not contain them.
    public var addsGenericServices = true
    /// The time from the connection of a central until the device disconnects it; nil to stay connected.
    public var disconnectAfter: Duration?
    /// The fixed passkey, 0 to 999999; nil for a device that pairs without a passkey.
    public var passkey: UInt32?
    /// True if a central that lost its half of a bond may pair again; false to keep the bond, as real devices should:
    /// the central may be an impostor.
    public var replacesBonds = false
    /// The L2CAP channels that the device accepts.
    public var channels: [DeviceChannel] = []
    /// Behaviour in code, beyond that of the other properties; nil for none.
    public var program: DeviceProgramKind?

    /// Creates a device.
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
