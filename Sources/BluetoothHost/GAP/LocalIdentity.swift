import BluetoothModel

/// A device that this host plays: an address of its own, and its own GATT database.
public struct LocalIdentity {
    /// The address that the device advertises with.
    public enum Address: Hashable, Sendable {
        /// The one that the adapter uses.
        case adapter
        /// A static random one of its own.
        case staticRandom(BluetoothAddress)
    }

    /// The address that the device advertises with.
    public var address: Address
    /// The database that its links show; nil for none.
    public var server: GATTServer?
    /// What its links offer above L2CAP; nil for what the host's other links offer.
    public var linkConfiguration: L2CAPLinkConfiguration?

    /// A device with an address and a database.
    public init(
        address: Address = .adapter, server: GATTServer?, linkConfiguration: L2CAPLinkConfiguration? = nil
    ) {
        self.address = address
        self.server = server
        self.linkConfiguration = linkConfiguration
    }
}
