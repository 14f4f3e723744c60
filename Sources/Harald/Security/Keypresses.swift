import BluetoothBackend
import BluetoothRuntime

/// Keypress notifications: the progress of the user during entry of the passkey that the other device shows. Both sides
/// have to support them: here with ``PairingDelegate/tellsKeypresses``.
extension Peripheral {
    /// Sends a keypress of the local user during entry of the device's passkey. Does nothing if the device does not
    /// support keypress notifications.
    public func tell(_ keypress: Keypress) async {
        let (backend, id) = (radio.backend, id)
        await radio.loop.run { backend.value.tell(keypress, to: id) }
    }
}

extension LocalPeripheral {
    /// Sends a keypress of the local user during entry of the central's passkey. Does nothing if the central does not
    /// support keypress notifications.
    public func tell(_ keypress: Keypress, to central: PeripheralID) async {
        let backend = core.radio.backend
        await core.radio.loop.run { backend.value.tell(keypress, to: central) }
    }
}
