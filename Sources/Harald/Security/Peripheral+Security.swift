import BluetoothBackend
import BluetoothRuntime

/// Pairing, and the keys that come of it.
extension Peripheral {
    /// Pairs with the device, or encrypts the link with the keys of an earlier pairing. Does nothing where the link is
    /// encrypted; a second call while the first one runs waits for the same pairing.
    ///
    /// What is asked goes to the ``PairingDelegate`` of the central. Without one the devices pair only where there is
    /// nothing to compare.
    /// - Parameter timeout: when to give up, and tell the device so; each step of pairing also has 30 s of its own.
    /// - Throws: ``BluetoothError`` with the code `pairingRefused`, `wrongPasskey`, `pairingFailed`, `bondLost`,
    ///   `timeout` or `security`.
    @discardableResult
    public func pair(timeout: Duration? = .seconds(60)) async throws(BluetoothError) -> LinkSecurity {
        try await perform("pair", timeout: timeout) { link, completion in
            link.pair(timeout: timeout, completion: completion)
        }
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
        let (backend, id) = (radio.backend, id)
        return await radio.loop.run { backend.value.forgetBond(id) }
    }
}

extension Central {
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
