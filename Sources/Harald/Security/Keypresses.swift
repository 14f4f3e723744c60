import BluetoothBackend
import BluetoothRuntime

/// What one user does while entering the passkey that the other device shows, so that it can show progress. Both sides
/// have to want it: here with ``PairingDelegate/tellsKeypresses``.
extension Peripheral {
    /// Tells the device what our user does while entering its passkey; nothing happens where nobody wants to hear it.
    public func tell(_ keypress: Keypress) async {
        let (backend, id) = (radio.backend, id)
        await radio.loop.run { backend.value.tell(keypress, to: id) }
    }
}

extension LocalPeripheral {
    /// Tells a central what our user does while entering its passkey; nothing happens where nobody wants to hear it.
    public func tell(_ keypress: Keypress, to central: PeripheralID) async {
        let backend = core.radio.backend
        await core.radio.loop.run { backend.value.tell(keypress, to: central) }
    }
}
