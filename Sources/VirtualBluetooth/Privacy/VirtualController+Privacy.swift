import BluetoothModel

/// Private addresses in the packets that a controller sends and receives (Core 6.0, Vol 6, Part B, 4.7 and 6).
///
/// No timer changes an own private address: whoever needs it asks, and gets a new one when the old one is too old. An
/// advertiser asks before each event.
extension VirtualController {
    // MARK: Received

    /// Who sent a packet with this address; nil where it is not to be listened to, because in network privacy mode a
    /// peer that has private addresses must use them.
    func receive(_ address: BluetoothAddress) -> PeerAddress? {
        guard resolvingList.isActive else { return PeerAddress(address) }
        if address.randomKind == .resolvablePrivate {
            guard let entry = resolvingList.resolve(address) else { return PeerAddress(address) }
            entry.seenAddress = address
            return PeerAddress(address, identity: entry.peer)
        }
        if let entry = resolvingList.entry(for: address), entry.peerKey != nil, !entry.usesDevicePrivacy { return nil }
        return PeerAddress(address)
    }

    /// For whom advertising is that is directed at one device.
    enum Target: Equatable {
        /// For this controller, by an address that it uses.
        case own
        /// For this controller, by a private address; the identity address behind it.
        case ownPrivate(BluetoothAddress)
        /// For a private address that nobody here knows.
        case unresolved
        /// For somebody else.
        case other
    }

    /// For whom a packet is that is directed at `address`, where the host chose this type of own addresses.
    func target(_ address: BluetoothAddress, ownAddressType: UInt8) -> Target {
        let identity = identityAddress(ownAddressType)
        if address == identity { return .own }
        guard address.randomKind == .resolvablePrivate else { return .other }
        if let identity, resolvingList.isActive, resolvingList.isOwn(address) { return .ownPrivate(identity) }
        return .unresolved
    }

    // MARK: Sent

    /// Whether the host may choose this type of own addresses.
    func allows(ownAddressType: UInt8) -> Bool {
        ownAddressType < 2 || configuration.features.contains(.privacy)
    }

    /// The address of the device behind a type of own addresses; nil for a random one that was never set.
    func identityAddress(_ ownAddressType: UInt8) -> BluetoothAddress? {
        ownAddressType & 1 == 0 ? publicAddress : settings.randomAddress
    }

    /// The address for packets to `peer`: a private one where the host wants that and the resolving list has a key, else
    /// the one of the device.
    func ownAddress(_ type: UInt8, towards peer: BluetoothAddress?) -> BluetoothAddress? {
        privateAddress(type, towards: peer) ?? identityAddress(type)
    }

    /// The private address for packets to `peer`; nil where none is wanted or there is no key.
    func privateAddress(_ type: UInt8, towards peer: BluetoothAddress?) -> BluetoothAddress? {
        guard type >= 2, let peer, let entry = resolvingList.entry(for: peer) else { return nil }
        return resolvingList.localAddress(of: entry, at: air.loop.now, using: &generator)
    }

    /// What a peer is called by a packet that is directed at it: a private address where the host wants those and the
    /// resolving list has a key.
    func targetAddress(_ type: UInt8, of peer: BluetoothAddress) -> BluetoothAddress {
        guard type >= 2, let entry = resolvingList.entry(for: peer) else { return peer }
        return resolvingList.peerAddress(of: entry, at: air.loop.now, using: &generator) ?? peer
    }
}
