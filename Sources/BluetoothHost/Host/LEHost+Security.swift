import BluetoothModel

extension LEHost {
    /// Lets links pair and be encrypted with kept keys; those that are up too.
    ///
    /// - Parameters:
    ///   - configuration: how this host pairs.
    ///   - bonds: what is known of other devices from before.
    /// - Returns: the manager, which its user gives a ``SecurityManager/delegate`` to.
    @discardableResult
    public func useSecurity(
        _ configuration: SecurityConfiguration = SecurityConfiguration(), bonds: any BondStore
    ) -> SecurityManager {
        if let securityManager {
            securityManager.configuration = configuration
            return securityManager
        }
        let manager = SecurityManager(configuration, bonds: bonds)
        manager.defaultIdentity = { [unowned self] in addresses.identityAddress }
        // Taken back when the host goes: a weak reference would make each count of the host several times as slow.
        manager.onBondsChange = { [unowned self] in resolvingList.bondsChanged() }
        securityManager = manager
        resolvingList.bondsChanged()
        for link in allLinks { link.l2cap.securityChannel = manager.opened(link) }
        return manager
    }

    /// The identity address behind a private address of a bonded device; any other address as it is.
    public func identity(behind address: BluetoothAddress) -> BluetoothAddress {
        securityManager?.identity(behind: address) ?? address
    }

    /// Whether a device advertises with addresses that only its bond makes recognisable, and only to the host.
    func hidesBehindPrivateAddresses(_ address: BluetoothAddress) -> Bool {
        guard !resolvingList.resolves(address) else { return false }
        return securityManager?.bonds.bonds.contains {
            $0.peerAddress == address && $0.peerUsesPrivateAddresses && $0.peerIdentityKey != nil
        } ?? false
    }
}
