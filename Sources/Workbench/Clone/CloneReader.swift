import Explorer
import Harald
import VirtualDevices

/// Reads the characteristics of a device for a clone, and derives permissions from the errors.
final class CloneReader {
    private let skipped: Set<BluetoothUUID>
    /// True if vendor-specific characteristics may be read: the user consented, or there are none.
    let readsVendors: Bool
    private let timeout: Duration
    /// Messages about values that could not be read or need an encrypted link.
    var notes: [String] = []

    init(skipped: Set<BluetoothUUID>, readsVendors: Bool, timeout: Duration) {
        self.skipped = skipped
        self.readsVendors = readsVendors
        self.timeout = timeout
    }

    /// Returns true if the UUID is not defined by the Bluetooth SIG.
    static func isVendor(_ uuid: BluetoothUUID) -> Bool { AssignedNumbers.entry(of: uuid)?.isStandard != true }

    /// Returns true if a characteristic may be read and subscribed to.
    func mayRead(_ uuid: BluetoothUUID) -> Bool { !skipped.contains(uuid) && (readsVendors || !Self.isVendor(uuid)) }

    private enum Outcome {
        case value([UInt8])
        /// The read requires a higher security level.
        case protected
        case notPermitted
        case failed
    }

    func copy(_ characteristic: Characteristic) async throws -> DeviceCharacteristic {
        var copy = DeviceCharacteristic(
            characteristic.uuid, characteristic.properties, handle: DeviceCloner.handle(characteristic.valueHandle))
        if characteristic.properties.contains(.read), mayRead(characteristic.uuid) {
            let outcome = try await outcome(of: "\(characteristic)", on: characteristic.peripheral) {
                () async throws(BluetoothError) in try await characteristic.read(timeout: timeout)
            }
            switch outcome {
            case .value(let bytes): copy.value = ValueTemplate(Array(bytes.prefix(512)))
            case .protected: copy.demandEncryption()
            case .notPermitted:
                copy.permissions = copy.isWriteable ? [.writeable] : []
            case .failed: break
            }
        }
        let isSent = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
        if isSent, !characteristic.descriptors.contains(where: { $0.uuid == 0x2902 }) { copy.hasConfiguration = false }
        for descriptor in characteristic.descriptors {
            copy.descriptors.append(try await self.copy(descriptor))
        }
        return copy
    }

    private func copy(_ descriptor: Descriptor) async throws -> DeviceDescriptor {
        let handle = DeviceCloner.handle(descriptor.handle)
        var copy = DeviceDescriptor(descriptor.uuid, value: [], handle: handle)
        guard descriptor.uuid != 0x2902, mayRead(descriptor.uuid), mayRead(descriptor.characteristic.uuid) else {
            return copy
        }
        let outcome = try await outcome(of: "descriptor \(descriptor)", on: descriptor.characteristic.peripheral) {
            () async throws(BluetoothError) in try await descriptor.read(timeout: timeout)
        }
        switch outcome {
        case .value(let bytes): copy.value = Array(bytes.prefix(512))
        case .protected: copy.permissions = [.readable, .readEncryptionRequired]
        case .notPermitted: copy.permissions = []
        case .failed: break
        }
        return copy
    }

    /// Reads a value.
    /// - Throws: ``BluetoothError`` with the code `cancelled`, `timeout`, `disconnected`, `notConnected`, `radio` or
    ///   `controller`, which end the clone. Other errors are outcomes.
    private func outcome(
        of what: String, on peripheral: Peripheral, _ read: () async throws(BluetoothError) -> [UInt8]
    ) async throws -> Outcome {
        let level = peripheral.security.level
        do throws(BluetoothError) {
            let bytes = try await read()
            // The device required encryption, so the link was encrypted with the key of the bond.
            if peripheral.security.level > level { notes.append("\(what) requires an encrypted link") }
            return .value(bytes)
        } catch {
            switch error.code {
            case .att(let code) where code.asksForSecurity:
                notes.append("\(what) requires an encrypted link, so its value is not known")
                return .protected
            case .att(.readNotPermitted): return .notPermitted
            case .cancelled, .timeout, .disconnected, .notConnected, .radio, .controller: throw error
            default:
                notes.append("\(what) was not read: \(error.reason)")
                return .failed
            }
        }
    }
}

extension DeviceCharacteristic {
    /// Requires an encrypted link for reads and writes.
    mutating func demandEncryption() {
        var permissions: AttributePermissions = [.readEncryptionRequired, .writeEncryptionRequired]
        if properties.contains(.read) { permissions.insert(.readable) }
        if isWriteable { permissions.insert(.writeable) }
        self.permissions = permissions
    }

    /// Requires an encrypted link for reads, writes and subscriptions.
    mutating func demandEncryptionOfSubscribers() {
        demandEncryption()
        if properties.contains(.notify) { properties.insert(.notifyEncryptionRequired) }
        if properties.contains(.indicate) { properties.insert(.indicateEncryptionRequired) }
    }
}
