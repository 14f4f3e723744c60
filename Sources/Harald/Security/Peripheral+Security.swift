import BluetoothBackend
import BluetoothRuntime

/// Pairing, and the bonds that result from it.
extension Peripheral {
    /// Pairs with the device, or encrypts the link with the keys of an earlier pairing. Does nothing if the link has
    /// the requested security already; a second call while the first one runs waits for the same pairing.
    ///
    /// Questions go to the ``PairingDelegate`` of the central. Without one the devices pair only where there is nothing
    /// to compare.
    ///
    /// Keys with less security than `level` are replaced by those of a new pairing; keys are never replaced by weaker
    /// ones.
    /// - Parameters:
    ///   - level: the minimum security of the link after the call. Where it cannot be reached, the devices do not pair,
    ///     and existing keys stay. BlueZ does not report the security of a link: levels above `encrypted` cannot be
    ///     reached there.
    ///   - timeout: the timeout, after which the device is notified; each step of pairing is also limited to 30 s.
    /// - Throws: ``BluetoothError`` with the code `pairingRefused`, `wrongPasskey`, `pairingFailed`, `bondLost`,
    ///   `timeout`, `security`, `notConnected`, `disconnected` or `cancelled`.
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
                reason: "the required level is \(level), but the adapter reports only \(reached.level)")
        }
        return reached
    }

    /// The security of the link; none while there is no link.
    public var security: LinkSecurity { store.get { $0.security } }
    /// A new stream for each access: the current security, then every change. It ends when the central is closed.
    public var securityChanges: BluetoothStream<LinkSecurity> { store.securities.stream(first: security) }

    /// True if the device is bonded, connected or not.
    public var isBonded: Bool {
        get async {
            let (backend, id) = (radio.backend, id)
            // The identifier may be that of a private address; the link knows that it belongs to a bonded device.
            if security.isBonded { return true }
            return await radio.loop.run { backend.value.bonds.contains { $0.id == id } }
        }
    }

    /// Forgets the bond with the device, and its discovered attributes; a link encrypted with the keys ends.
    ///
    /// The device keeps its keys: most devices have to forget the bond too before they pair again.
    /// - Returns: true if there was a bond.
    @discardableResult
    public func forgetBond() async -> Bool {
        let (backend, id, store) = (radio.backend, id, store)
        return await radio.loop.run {
            let hadKeys = backend.value.forgetBond(id)
            // The link has forgotten the attributes too, if it continues.
            if hadKeys { store.values.withLock { $0.tree = AttributeTree() } }
            return hadKeys
        }
    }
}

extension Central {
    /// Checks that bonds are stored beyond this run of the program, by writing to the store.
    /// - Throws: ``BluetoothError`` with the reason, if the store is missing, damaged or cannot be written.
    public func checkBondStorage() async throws(BluetoothError) {
        let radio = radio
        let result = await radio.loop.run {
            Result { () throws(RadioError) in try radio.backend.value.checkBondStorage() }
        }
        if case .failure(let error) = result { throw BluetoothError(error, "store the keys of pairings") }
    }

    /// The bonded devices, from this run or an earlier one.
    public var bonds: [BondedPeripheral] {
        get async {
            let radio = radio
            return await radio.loop.run { radio.backend.value.bonds }
        }
    }

    /// Forgets the bond with a device, as ``Peripheral/forgetBond()`` does.
    /// - Returns: true if there was a bond.
    @discardableResult
    public func forgetBond(_ id: PeripheralID) async -> Bool {
        let radio = radio
        return await radio.loop.run { radio.backend.value.forgetBond(id) }
    }
}
