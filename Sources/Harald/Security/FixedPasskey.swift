import BluetoothBackend
import BluetoothRuntime

/// A passkey that is the same in each pairing is refused after three failed attempts by any devices: each attempt
/// reveals a part of it (Core 6.0, Vol 3, Part H, 2.3.5.6.3).
extension LocalPeripheral {
    /// Resets the failed attempts on the passkey of the pairing delegate: three further attempts may fail.
    ///
    /// An attacker in range can use up the attempts again. A new passkey is safer than the old one.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the delegate has no fixed passkey, and
    ///   `unsupported` if the count cannot be written, or the adapter keeps none.
    public func allowPasskey() async throws(BluetoothError) { try await core.radio.allowPasskey() }
}

extension Central {
    /// Resets the failed attempts on the passkey of the pairing delegate: three further attempts may fail.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the delegate has no fixed passkey, and
    ///   `unsupported` if the count cannot be written, or the adapter keeps none.
    public func allowPasskey() async throws(BluetoothError) { try await radio.allowPasskey() }
}

extension AdapterSession {
    fileprivate func allowPasskey() async throws(BluetoothError) {
        let (backend, user) = (backend, user)
        let result: Result<Void, RadioError> = await loop.run {
            Result { () throws(RadioError) in
                guard let passkey = user.value.pairingHandler?.passkey else {
                    throw .invalidArgument("the pairing delegate has no fixed passkey")
                }
                try backend.value.allowPasskey(passkey)
            }
        }
        if case .failure(let error) = result { throw BluetoothError(error, "accept the passkey again") }
    }
}
