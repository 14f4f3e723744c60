import Harald

/// The adapters, devices and attributes that a script uses.
package protocol ScriptWorld: Sendable {
    /// Returns an adapter by its name in the script; nil is the adapter of the script.
    func central(_ adapter: String?) throws -> Central
    /// Finds a device by its name, address or identifier.
    /// - Throws: ``ScriptNotFound`` if no device or several devices match, or an error of the scan.
    func device(_ text: String, on adapter: String?, within timeout: Duration) async throws -> Peripheral
    /// Finds an attribute of a connected device.
    /// - Throws: ``ScriptNotFound`` if no attribute or several attributes match, or an error of discovery.
    func attribute(_ path: String, of peripheral: Peripheral, within timeout: Duration) async throws -> ScriptAttribute
    /// Performs a command on the simulated devices of the script, and returns its effect in words.
    /// - Throws: an error with a message if the command failed.
    func simulate(_ command: String) async throws -> String
    /// Answers questions of pairing with a device until ``endPairing()``. At all other times pairing on demand is
    /// refused.
    func beginPairing(with peripheral: Peripheral, passkey: UInt32?) async
    /// Ends one call of ``beginPairing(with:passkey:)``.
    func endPairing() async
    /// Checks that the adapters of the script are available.
    /// - Throws: an error that names the lost adapter.
    func checkAdapters() async throws
}

/// A characteristic or a descriptor.
package enum ScriptAttribute: Sendable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case characteristic(Characteristic), descriptor(Descriptor)

    var uuid: BluetoothUUID {
        switch self {
        case .characteristic(let characteristic): characteristic.uuid
        case .descriptor(let descriptor): descriptor.uuid
        }
    }

    func read(_ timeout: Duration) async throws(BluetoothError) -> [UInt8] {
        switch self {
        case .characteristic(let characteristic): try await characteristic.read(timeout: timeout)
        case .descriptor(let descriptor): try await descriptor.read(timeout: timeout)
        }
    }

    func write(_ bytes: [UInt8], _ type: WriteType?, _ timeout: Duration) async throws(BluetoothError) {
        switch self {
        case .characteristic(let characteristic):
            try await characteristic.write(bytes, type: type, timeout: timeout)
        case .descriptor(let descriptor):
            guard type != .withoutResponse else {
                throw BluetoothError(
                    .unsupported, operation: "write \(descriptor)", reason: "descriptors are written with response")
            }
            try await descriptor.write(bytes, timeout: timeout)
        }
    }
}
