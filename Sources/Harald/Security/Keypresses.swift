import BluetoothBackend
import BluetoothRuntime

/// Keypress notifications: the progress of a user who enters the passkey that the other device shows. Both sides have
/// to support them: here with ``PairingDelegate/tellsKeypresses``.
extension Peripheral {
    /// Sends a keypress of the local user, who enters the device's passkey; does nothing where the device does not want
    /// keypress notifications.
    public func tell(_ keypress: Keypress) async {
        let (backend, id) = (radio.backend, id)
        await radio.loop.run { backend.value.tell(keypress, to: id) }
    }
}

extension LocalPeripheral {
    /// Sends a keypress of the local user, who enters the central's passkey, to the central; does nothing where it does
    /// not want keypress notifications.
    public func tell(_ keypress: Keypress, to central: PeripheralID) async {
        let backend = core.radio.backend
        await core.radio.loop.run { backend.value.tell(keypress, to: central) }
    }
}
