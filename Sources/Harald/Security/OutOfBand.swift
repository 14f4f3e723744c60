import BluetoothBackend
import BluetoothRuntime

/// Pairing with the help of something that two devices told each other another way: a code that is scanned, a tag that
/// is touched. It keeps out a third device in the middle, also where nothing can be shown or entered.
extension Central {
    /// Data for a device to get another way than over this radio: it proves us to whoever has it. It is good for one
    /// pairing, and takes the place of what was made before.
    public func makeOutOfBandData() async throws(BluetoothError) -> OutOfBandData {
        try await radio.makeOutOfBandData()
    }
}

extension Peripheral {
    /// Takes what came from the device another way, for the next pairing with it; call it before ``pair(to:timeout:)``.
    /// - Parameters:
    ///   - data: what the device made; nil for none.
    ///   - temporaryKey: for legacy pairing: 16 octets, most significant first, that both devices have.
    public func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]? = nil
    ) async throws(BluetoothError) {
        try await radio.useOutOfBandData(data, temporaryKey, of: id)
    }
}

extension LocalPeripheral {
    /// Data for a central to get another way than over this radio, as ``Central/makeOutOfBandData()`` makes it.
    public func makeOutOfBandData() async throws(BluetoothError) -> OutOfBandData {
        try await core.radio.makeOutOfBandData()
    }

    /// Takes what came from a central another way, for the next pairing with it.
    /// - Parameters:
    ///   - data: what the central made; nil for none.
    ///   - temporaryKey: for legacy pairing: 16 octets, most significant first, that both devices have.
    ///   - central: whose it is; nil for whoever pairs next.
    public func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]? = nil, from central: PeripheralID? = nil
    ) async throws(BluetoothError) {
        try await core.radio.useOutOfBandData(data, temporaryKey, of: central)
    }
}

extension Radio {
    fileprivate func makeOutOfBandData() async throws(BluetoothError) -> OutOfBandData {
        let backend = backend
        let result = await loop.run { Result { () throws(RadioError) in try backend.value.makeOutOfBandData() } }
        return try result.get(for: "make out-of-band data")
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
