import BluetoothModel

/// What our GATT server keeps of a bonded client, and signatures.
extension SecuritySession {
    private var server: GATTServerSession? { (link as? LELink)?.l2cap.serverSession }

    /// Listens for what is to be kept of the client.
    func connectServer() {
        (link as? LELink)?.l2cap.att.signer = self
        server?.onStateChange = { [weak self] in self?.keepServerState() }
    }

    /// What is to be kept of the client now.
    var currentServerState: GATTServerClientState? { server?.state }

    /// The client turned out to be who it says.
    func restoreServerState() {
        guard let server, let bond else { return }
        if !hasRestoredServerState {
            hasRestoredServerState = true
            if let state = bond.serverState { server.restore(state) }
        }
        keepServerState()
    }

    private func keepServerState() {
        // What a stranger asks for is not the bonded client's wish.
        guard hasRestoredServerState, let link, link.security.level > .none, let state = currentServerState,
            var bond, bond.serverState != state
        else { return }
        bond.serverState = state
        _ = manager.keep(bond)
    }
}

extension SecuritySession: AttributeSigner {
    func sign(_ packet: [UInt8]) -> [UInt8]? {
        guard var bond, var key = bond.localSigningKey, key.counter < .max else { return nil }
        let signature = AttributeSignature.make(key.key, message: packet, counter: key.counter)
        key.counter += 1
        bond.localSigningKey = key
        // A counter that was not kept would be used twice.
        return manager.keep(bond) ? signature : nil
    }

    func verify(_ packet: [UInt8], signature: [UInt8]) -> Bool {
        guard var bond, var key = bond.peerSigningKey else { return false }
        let counter = AttributeSignature.counter(in: signature)
        // A counter that was seen before is a recording.
        guard counter >= key.counter, counter < .max,
            areEqualInConstantTime(AttributeSignature.make(key.key, message: packet, counter: counter), signature)
        else { return false }
        key.counter = counter + 1
        bond.peerSigningKey = key
        return manager.keep(bond)
    }
}
