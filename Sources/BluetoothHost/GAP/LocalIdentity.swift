import BluetoothModel

/// A device that this host implements, with its own address and GATT database.
package struct LocalIdentity {
    /// The kind of address that the device advertises with.
    package enum Address: Hashable, Sendable {
        /// The address of the adapter.
        case adapter
        /// A separate static random address.
        case staticRandom(BluetoothAddress)
    }

    /// Resolvable private addresses that are advertised in place of a static random address (Core 6.0, Vol 3, Part C,
    /// 10.7). The static address remains the identity address.
    package struct Privacy: Hashable, Sendable {
        /// The identity resolving key that generates and resolves the addresses. Each identity needs a key of its own,
        /// because peers could not distinguish two devices with the same key.
        package var key: SecurityKey
        /// The lifetime of each address, 1 s to 1 h. With nil the static address itself is advertised, and peers still
        /// receive the key.
        package var time: Duration?

        /// Creates privacy settings from a key and the lifetime of each address.
        package init(key: SecurityKey, each time: Duration?) {
            self.key = key
            self.time = time
        }
    }

    /// The address that the device advertises with.
    package var address: Address
    /// The privacy settings for a static random address; the adapter's address uses the adapter's policy.
    package var privacy: Privacy?
    /// The database of the identity's links; nil for none.
    package var server: GATTServer?
    /// The L2CAP configuration of the identity's links; nil for that of the host.
    package var linkConfiguration: L2CAPLinkConfiguration?

    /// Creates a device with an address and a database.
    package init(
        address: Address = .adapter, privacy: Privacy? = nil, server: GATTServer?,
        linkConfiguration: L2CAPLinkConfiguration? = nil
    ) {
        self.address = address
        self.privacy = privacy
        self.server = server
        self.linkConfiguration = linkConfiguration
    }

    /// The error in the addresses; nil if they are valid.
    var fault: RadioError? {
        guard case .staticRandom(let own) = address else { return nil }
        if let fault = OwnAddressPolicy.staticRandom(own).fault { return fault }
        guard let privacy, let time = privacy.time else { return nil }
        return OwnAddressPolicy.resolvable(privacy.key, each: time).fault
    }
}
