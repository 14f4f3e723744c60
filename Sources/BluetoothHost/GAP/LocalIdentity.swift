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

    /// Resolvable private addresses that are on the air in the place of a static random one (Core 6.0, Vol 3, Part C,
    /// 10.7). The static one stays the identity.
    public struct Privacy: Hashable, Sendable {
        /// What makes and resolves them. Each identity needs a key of its own: by one key peers could not tell two
        /// devices apart.
        public var key: SecurityKey
        /// How long each is used, 1 s to 1 h; nil for the static address itself on the air, and a key that peers get all
        /// the same.
        public var time: Duration?

        /// A key, and how long each address lasts.
        public init(key: SecurityKey, each time: Duration?) {
            self.key = key
            self.time = time
        }
    }

    /// The address that the device advertises with.
    public var address: Address
    /// Private addresses in the place of a static random one; the adapter's address has those of the adapter.
    public var privacy: Privacy?
    /// The database that its links show; nil for none.
    public var server: GATTServer?
    /// What its links offer above L2CAP; nil for what the host's other links offer.
    public var linkConfiguration: L2CAPLinkConfiguration?

    /// A device with an address and a database.
    public init(
        address: Address = .adapter, privacy: Privacy? = nil, server: GATTServer?,
        linkConfiguration: L2CAPLinkConfiguration? = nil
    ) {
        self.address = address
        self.privacy = privacy
        self.server = server
        self.linkConfiguration = linkConfiguration
    }

    /// What is wrong with the addresses; nil where nothing is.
    var fault: RadioError? {
        guard case .staticRandom(let own) = address else { return nil }
        if let fault = OwnAddressPolicy.staticRandom(own).fault { return fault }
        guard let privacy, let time = privacy.time else { return nil }
        return OwnAddressPolicy.resolvable(privacy.key, each: time).fault
    }
}
