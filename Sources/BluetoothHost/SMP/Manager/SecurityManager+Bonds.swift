import BluetoothModel

/// What is known of other devices, and of ourselves.
extension SecurityManager {
    /// Forgets a bond. A link that is encrypted with its key stays as it is until it ends.
    public func forget(_ bond: Bond) {
        bonds.remove(bond)
        identities.removeAll()
        for session in sessions.values { session.bondsChanged() }
        onBondsChange()
    }

    /// Keeps a bond, as pairing does.
    func keep(_ bond: Bond) -> Bool {
        identities.removeAll()
        defer { onBondsChange() }
        do throws(RadioError) {
            try bonds.save(bond)
            return true
        } catch {
            delegate?.securityManager(self, couldNotKeep: bond, error)
            return false
        }
    }

    /// The bond with the device at the other end.
    public func bond(of link: any SecurityLink) -> Bond? { session(of: link)?.bond }

    /// The identity address of the device at the other end, which pairing may have told; its address of the link where
    /// nothing else is known.
    public func identity(of link: any SecurityLink) -> BluetoothAddress {
        session(of: link)?.peerIdentity ?? identity(behind: link.peerAddress)
    }

    /// The identity address behind a resolvable private address of a bonded device; any other address as it is.
    public func identity(behind address: BluetoothAddress) -> BluetoothAddress {
        guard address.randomKind == .resolvablePrivate else { return address }
        return identities.identity(behind: address, bonds) ?? address
    }

    /// What our private addresses are made with, and peers resolve them with.
    public var identityKey: SecurityKey { configuration.identityKey ?? fallbackIdentityKey }

    /// Our own identity on a link.
    func ownIdentity(on link: any SecurityLink) -> BluetoothAddress {
        if link.ownAddress.isIdentity { return link.ownAddress }
        return configuration.identityAddress ?? defaultIdentity() ?? link.ownAddress
    }
}
