import BluetoothModel

/// The rule by which a pairing creates or replaces a bond, in both roles.
///
/// Whatever a peer supplies (identity address, identity resolving key, signing key, long-term key) belongs to the
/// device at the other end of its link and to no other:
/// - An identity address has to equal the identity that the link has already: a public or static address, or the bond
///   that resolves a private address. One that differs is dropped with its identity resolving key.
/// - An identity resolving key has to resolve the resolvable private address of the link, and must not belong to the
///   bond of another device. Otherwise it is dropped.
/// - An existing bond is replaced only on a link that was encrypted with its key before the pairing began, or if the
///   program decides so.
struct BondAdoption {
    /// The local identity to which the bond belongs.
    let local: BluetoothAddress
    /// The peer's identity before the pairing; a private address if it is unknown.
    let peer: BluetoothAddress
    /// The peer's address in the packets that established the link.
    let airAddress: BluetoothAddress
    /// A key of the bond that encrypted the link before the pairing began; nil if there is none.
    let provenKey: SecurityKey?
    /// A key of the bond that the program gave up.
    private var permittedKey: SecurityKey?

    init(local: BluetoothAddress, peer: BluetoothAddress, airAddress: BluetoothAddress, provenKey: SecurityKey?) {
        self.local = local
        self.peer = peer
        self.airAddress = airAddress
        self.provenKey = provenKey
    }

    /// Returns the existing bond of an identity that the peer has not proved to be its own, and that the program has
    /// not given up; nil if there is none.
    func contested(_ identity: BluetoothAddress, in bonds: any BondStore) -> Bond? {
        guard let bond = bonds.bond(local: local, peer: identity) else { return nil }
        return bond.keys.contains { $0 == provenKey || $0 == permittedKey } ? nil : bond
    }

    /// Records the decision of the program to replace a bond.
    mutating func permit(_ bond: Bond?) { permittedKey = bond?.keys.first }

    /// Returns the part of the peer's identity information that applies to this link.
    func adopted(_ keys: DistributedKeys, in bonds: any BondStore) -> DistributedKeys {
        var adopted = keys
        let isBound =
            peer.isIdentity
            ? keys.identity == peer
            : airAddress.randomKind != .resolvablePrivate || keys.identityKey.map(airAddress.isResolved) == true
        if !isBound { (adopted.identity, adopted.identityKey) = (nil, nil) }
        let identity = adopted.identity ?? peer
        if let key = adopted.identityKey,
            bonds.bonds.contains(where: { $0.peerIdentityKey == key && $0.peerAddress != identity })
        {
            adopted.identityKey = nil
            // The address alone does not identify a device that uses private ones.
            if !peer.isIdentity { adopted.identity = nil }
        }
        return adopted
    }
}

extension Bond {
    /// The long-term keys.
    var keys: [SecurityKey] { [localKey, peerKey].compactMap { $0?.key } }
}
