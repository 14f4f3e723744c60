import BluetoothBackend
import BluetoothRuntime

/// Pairing, and the keys that come of it.
extension Peripheral {
    /// Pairs with the device, or encrypts the link with the keys of an earlier pairing. Does nothing where the link is
    /// as well protected as asked; a second call while the first one runs waits for the same pairing.
    ///
    /// What is asked goes to the ``PairingDelegate`` of the central. Without one the devices pair only where there is
    /// nothing to compare.
    ///
    /// Keys that give less than `level` are replaced by those of a new pairing; better keys never by worse ones.
    /// - Parameters:
    ///   - level: the least that the link has to have then. Where that cannot be, nothing is paired, and keys that are
    ///     there stay. BlueZ does not tell how well a link is protected: more than `encrypted` is not to be had there.
    ///   - timeout: when to give up, and tell the device so; each step of pairing also has 30 s of its own.
    /// - Throws: ``BluetoothError`` with the code `pairingRefused`, `wrongPasskey`, `pairingFailed`, `bondLost`,
    ///   `timeout` or `security`.
    @discardableResult
    public func pair(
        to level: LinkSecurity.Level = .encrypted, timeout: Duration? = .seconds(60)
    ) async throws(BluetoothError) -> LinkSecurity {
        let reached = try await perform("pair", timeout: timeout) { link, operation in
            link.pair(to: level, timeout: timeout, completion: operation.complete)
        }
        guard reached.level >= level else {
            throw BluetoothError(
                .security, operation: "pair with \(self)",
                reason: "the link has to be \(level), and the adapter says only that it is \(reached.level)")
        }
        return reached
    }

    /// How the link is protected; nothing, while there is none.
    public var security: LinkSecurity { store.get { $0.security } }
    /// A stream of its own each time: the protection now, and every change.
    public var securityChanges: BluetoothStream<LinkSecurity> { store.securities.stream(first: security) }

    /// Whether keys are shared with the device, connected or not.
    public var isBonded: Bool {
        get async {
            let (backend, id) = (radio.backend, id)
            // The identifier may be that of a private address, which the link knows to be bonded.
            if security.isBonded { return true }
            return await radio.loop.run { backend.value.bonds.contains { $0.id == id } }
        }
    }

    /// Forgets the keys shared with the device, and what was learned of its attributes; a link that they encrypt ends.
    ///
    /// The device keeps its half: most have to be told to forget too, before they pair again.
    /// - Returns: whether there were keys.
    @discardableResult
    public func forgetBond() async -> Bool {
        let (backend, id, store) = (radio.backend, id, store)
        return await radio.loop.run {
            let hadKeys = backend.value.forgetBond(id)
            // The link has forgotten them too, where it goes on.
            if hadKeys { store.values.withLock { $0.tree = AttributeTree() } }
            return hadKeys
        }
    }
}

extension Central {
    /// Checks that the keys of pairings are kept beyond this program, by writing where they are kept.
    /// - Throws: ``BluetoothError`` that says why not, where the store is missing, damaged or not to be written.
    public func checkBondStorage() async throws(BluetoothError) {
        let radio = radio
        let result = await radio.loop.run {
            Result { () throws(RadioError) in try radio.backend.value.checkBondStorage() }
        }
        if case .failure(let error) = result { throw BluetoothError(error, "keep the keys of pairings") }
    }

    /// The devices that keys are shared with, from this run or an earlier one.
    public var bonds: [BondedPeripheral] {
        get async {
            let radio = radio
            return await radio.loop.run { radio.backend.value.bonds }
        }
    }

    /// Forgets the keys shared with a device, as ``Peripheral/forgetBond()`` does.
    /// - Returns: whether there were keys.
    @discardableResult
    public func forgetBond(_ id: PeripheralID) async -> Bool {
        let radio = radio
        return await radio.loop.run { radio.backend.value.forgetBond(id) }
    }
}
