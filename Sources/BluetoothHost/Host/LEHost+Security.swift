import BluetoothModel

extension LEHost {
    /// Enables pairing and encryption with stored keys, on existing links too.
    ///
    /// - Parameters:
    ///   - configuration: The pairing configuration of this host.
    ///   - bonds: The store of existing bonds.
    /// - Returns: The security manager; set its ``SecurityManager/delegate`` to answer pairing questions.
    @discardableResult
    package func useSecurity(
        _ configuration: SecurityConfiguration = SecurityConfiguration(), bonds: any BondStore
    ) -> SecurityManager {
        if let securityManager {
            securityManager.configuration = configuration
            return securityManager
        }
        let manager = SecurityManager(configuration, bonds: bonds)
        // Proof of `unowned`: the host's `deinit` replaces both closures. Weak references would make the host's
        // reference counting several times slower.
        manager.defaultIdentity = { [unowned self] in addresses.identityAddress }
        manager.onBondsChange = { [unowned self] in resolvingList.bondsChanged() }
        securityManager = manager
        resolvingList.bondsChanged()
        for link in allLinks { link.l2cap.securityChannel = manager.opened(link) }
        return manager
    }

    /// Returns the identity address of a bonded device for its private address; other addresses are returned unchanged.
    package func identity(behind address: BluetoothAddress) -> BluetoothAddress {
        securityManager?.identity(behind: address) ?? address
    }

    /// Returns true if a bonded device uses private addresses that only the host can resolve.
    func hidesBehindPrivateAddresses(_ address: BluetoothAddress) -> Bool {
        guard !resolvingList.resolves(address) else { return false }
        return securityManager?.bonds.bonds.contains {
            $0.peerAddress == address && $0.peerUsesPrivateAddresses && $0.peerIdentityKey != nil
        } ?? false
    }
}
