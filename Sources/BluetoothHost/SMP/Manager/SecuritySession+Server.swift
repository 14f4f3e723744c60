import BluetoothModel

/// The stored state of bonded GATT clients, and signatures.
extension SecuritySession {
    private var server: GATTServerSession? { (link as? LELink)?.l2cap.serverSession }

    /// Observes the client state to store, and provides signatures to the bearer.
    func connectServer() {
        (link as? LELink)?.l2cap.att.signer = self
        server?.onStateChange = { [weak self] in self?.keepServerState() }
    }

    /// The client state to store.
    var currentServerState: GATTServerClientState? { server?.state }

    /// Restores the client state once the link is encrypted with the key of the bond.
    func restoreServerState() {
        guard let server, let bond else { return }
        if !hasRestoredServerState {
            hasRestoredServerState = true
            if let state = bond.serverState { server.restore(state) }
        }
        keepServerState()
    }

    private func keepServerState() {
        // The subscriptions of an unauthenticated client must not be stored for the bonded one.
        guard hasRestoredServerState, let link, link.security.level > .none, let state = currentServerState,
            var bond, bond.serverState != state
        else { return }
        bond.serverState = state
        _ = manager.update(bond)
    }
}

extension SecuritySession: AttributeSigner {
    func sign(_ packet: [UInt8]) -> [UInt8]? {
        guard var bond, var key = bond.localSigningKey, key.counter < .max else { return nil }
        let signature = AttributeSignature.make(key.key, message: packet, counter: key.counter)
        key.counter += 1
        bond.localSigningKey = key
        // If the counter cannot be stored, it could be used twice.
        return manager.update(bond) ? signature : nil
    }

    func verify(_ packet: [UInt8], signature: [UInt8]) -> Bool {
        guard var bond, var key = bond.peerSigningKey else { return false }
        let counter = AttributeSignature.counter(in: signature)
        // A counter that was used before indicates a replay.
        guard counter >= key.counter, counter < .max,
            areEqualInConstantTime(AttributeSignature.make(key.key, message: packet, counter: counter), signature)
        else { return false }
        key.counter = counter + 1
        bond.peerSigningKey = key
        return manager.update(bond)
    }
}
