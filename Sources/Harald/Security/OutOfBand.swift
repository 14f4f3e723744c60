import BluetoothBackend
import BluetoothRuntime

/// Out-of-band pairing, with data that two devices exchange by other means: a scanned code, a tag. It protects against
/// a third device in the middle, also where nothing can be shown or entered.
extension Central {
    /// Creates out-of-band data to be transferred to a device by other means. It authenticates this adapter to the
    /// holder of the data, is valid for one pairing, and replaces earlier data.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the adapter does not support out-of-band pairing, or
    ///   the adapter's error.
    public func makeOutOfBandData() async throws(BluetoothError) -> OutOfBandData {
        try await radio.makeOutOfBandData()
    }
}

extension Peripheral {
    /// Sets the out-of-band data of the device for the next pairing with it; call it before ``pair(to:timeout:)``.
    /// - Parameters:
    ///   - data: the data that the device created; nil for none.
    ///   - temporaryKey: the temporary key of legacy pairing, shared by both devices: 16 octets, most significant
    ///     first.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the temporary key has a wrong length or the
    ///   device is unknown, or `unsupported` if the adapter does not support out-of-band pairing.
    public func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]? = nil
    ) async throws(BluetoothError) {
        try await radio.useOutOfBandData(data, temporaryKey, of: id)
    }
}

extension LocalPeripheral {
    /// Creates out-of-band data to be transferred to a central, as ``Central/makeOutOfBandData()`` does.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the adapter does not support out-of-band pairing, or
    ///   the adapter's error.
    public func makeOutOfBandData() async throws(BluetoothError) -> OutOfBandData {
        try await core.radio.makeOutOfBandData()
    }

    /// Sets the out-of-band data of a central for the next pairing with it.
    /// - Parameters:
    ///   - data: the data that the central created; nil for none.
    ///   - temporaryKey: the temporary key of legacy pairing, shared by both devices: 16 octets, most significant
    ///     first.
    ///   - central: the central that the data belongs to; nil for the next one that pairs.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the temporary key has a wrong length or the
    ///   central is unknown, or `unsupported` if the adapter does not support out-of-band pairing.
    public func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]? = nil, from central: PeripheralID? = nil
    ) async throws(BluetoothError) {
        try await core.radio.useOutOfBandData(data, temporaryKey, of: central)
    }
}

extension AdapterSession {
    fileprivate func makeOutOfBandData() async throws(BluetoothError) -> OutOfBandData {
        let backend = backend
        let result = await loop.run { Result { () throws(RadioError) in try backend.value.makeOutOfBandData() } }
        return try result.get(for: "create out-of-band data")
    }

    fileprivate func useOutOfBandData(
        _ data: OutOfBandData?, _ temporaryKey: [UInt8]?, of id: PeripheralID?
    ) async throws(BluetoothError) {
        let backend = backend
        let result = await loop.run {
            Result { () throws(RadioError) in
                try backend.value.useOutOfBandData(data, temporaryKey: temporaryKey, of: id)
            }
        }
        try result.get(for: "use out-of-band data")
    }
}

extension Result where Failure == RadioError {
    fileprivate func get(for operation: String) throws(BluetoothError) -> Success {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw BluetoothError(error, operation)
        }
    }
}
