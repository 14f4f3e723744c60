import BluetoothModel

/// Bonds and identities.
extension SecurityManager {
    /// Removes a bond. A link that is encrypted with its key stays encrypted until it ends.
    package func forget(_ bond: Bond) {
        bonds.remove(bond)
        identities.removeAll()
        // In an order that does not depend on where in the memory the links are.
        let open = sessions.values.sorted { ($0.link?.peerAddress.value ?? 0) < ($1.link?.peerAddress.value ?? 0) }
        for session in open { session.bondsChanged() }
        onBondsChange()
    }

    /// Stores a bond after pairing or a change; returns false if the store failed.
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

    /// Stores the values of a bond that change with use; returns false if the store failed.
    func update(_ bond: Bond) -> Bool {
        do throws(RadioError) {
            try bonds.update(bond)
            return true
        } catch {
            // Another program, or the user, may have removed the bond.
            if error != .noBond { delegate?.securityManager(self, couldNotKeep: bond, error) }
            return false
        }
    }

    /// Returns the bond with the peer of a link.
    package func bond(of link: any SecurityLink) -> Bond? { session(of: link)?.bond }

    /// Returns the identity address of the peer, which pairing may have provided; otherwise the peer's address on the
    /// link.
    package func identity(of link: any SecurityLink) -> BluetoothAddress {
        session(of: link)?.peerIdentity ?? identity(behind: link.peerAddress)
    }

    /// Returns the identity address of a bonded device for its resolvable private address; other addresses are returned
    /// unchanged.
    package func identity(behind address: BluetoothAddress) -> BluetoothAddress {
        guard address.randomKind == .resolvablePrivate else { return address }
        return identities.identity(behind: address, bonds) ?? address
    }

    /// The local identity resolving key, which generates the private addresses of this host.
    package var identityKey: SecurityKey { configuration.identityKey ?? fallbackIdentityKey }

    /// Returns the local identity address on a link.
    func ownIdentity(on link: any SecurityLink) -> BluetoothAddress {
        if link.ownAddress.isIdentity { return link.ownAddress }
        return configuration.identityAddress ?? defaultIdentity() ?? link.ownAddress
    }
}
