import BluetoothModel

/// Private addresses in the packets that a controller sends and receives (Core 6.0, Vol 6, Part B, 4.7 and 6).
///
/// No timer changes the controller's own private addresses: each use requests the address, which is generated again
/// once it has expired. Advertising requests it before each event.
extension VirtualController {
    // MARK: Received

    /// The sender of a packet with this address; nil if the packet is ignored, because in network privacy mode a peer
    /// that has private addresses must use them.
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

    /// The target of directed advertising.
    enum Target: Equatable {
        /// This controller, by its identity address.
        case own
        /// This controller, by a private address; the value is its identity address.
        case ownPrivate(BluetoothAddress)
        /// A resolvable private address that the controller cannot resolve.
        case unresolved
        /// Another device.
        case other
    }

    /// The target of a packet directed at `address`, for this type of own address.
    func target(_ address: BluetoothAddress, ownAddressType: UInt8) -> Target {
        let identity = identityAddress(ownAddressType)
        if address == identity { return .own }
        guard address.randomKind == .resolvablePrivate else { return .other }
        if let identity, resolvingList.isActive, resolvingList.isOwn(address) { return .ownPrivate(identity) }
        return .unresolved
    }

    // MARK: Sent

    /// Returns true if the host may use this type of own address.
    func allows(ownAddressType: UInt8) -> Bool {
        ownAddressType < 2 || configuration.features.contains(.privacy)
    }

    /// The identity address for a type of own address; nil for a random address that was never set.
    func identityAddress(_ ownAddressType: UInt8) -> BluetoothAddress? {
        ownAddressType & 1 == 0 ? publicAddress : settings.randomAddress
    }

    /// The address for packets to `peer`: a private one if the host requested it and the resolving list has a key, else
    /// the identity address.
    func ownAddress(_ type: UInt8, towards peer: BluetoothAddress?) -> BluetoothAddress? {
        privateAddress(type, towards: peer) ?? identityAddress(type)
    }

    /// The private address for packets to `peer`; nil if none is requested or there is no key.
    func privateAddress(_ type: UInt8, towards peer: BluetoothAddress?) -> BluetoothAddress? {
        guard type >= 2, let peer, let entry = resolvingList.entry(for: peer) else { return nil }
        return resolvingList.localAddress(of: entry, at: air.loop.now, using: &generator)
    }

    /// The address of `peer` in packets directed at it: a private address if the host requested those and the resolving
    /// list has a key, else the identity address.
    func targetAddress(_ type: UInt8, of peer: BluetoothAddress) -> BluetoothAddress {
        guard type >= 2, let entry = resolvingList.entry(for: peer) else { return peer }
        return resolvingList.peerAddress(of: entry, at: air.loop.now, using: &generator) ?? peer
    }
}
