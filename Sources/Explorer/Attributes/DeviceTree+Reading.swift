import BluetoothProfiles
import Harald

extension DeviceTree {
    /// Discovers all attributes of a connected device; with `values` also reads those that are readable.
    /// - Throws: an error of discovery, and of a read if the link was lost, the operation timed out or the task was
    ///   cancelled.
    package static func read(_ peripheral: Peripheral, values: Bool, timeout: Duration) async throws -> DeviceTree {
        var tree = DeviceTree(
            id: peripheral.id, name: peripheral.name, address: peripheral.address?.text, mtu: peripheral.mtu)
        for service in try await services(of: peripheral, timeout: timeout) {
            var entry = Service(
                uuid: service.uuid, name: service.name, handle: service.handle.rawValue, isPrimary: service.isPrimary
            )
            entry.includes = service.includedServices.map { .init(uuid: $0.uuid, handle: $0.handle.rawValue) }
            for characteristic in service.characteristics {
                entry.characteristics.append(try await read(characteristic, values: values, timeout: timeout))
            }
            tree.services.append(entry)
        }
        (tree.name, tree.mtu) = (peripheral.name, peripheral.mtu)
        tree.advertisedName = peripheral.advertisement?.localName
        tree.deviceName = try await deviceName(of: peripheral, timeout: timeout)
        (tree.skipped, tree.skippedCount) = (peripheral.skippedAttributes, peripheral.skippedAttributeCount)
        return tree
    }

    /// Returns the Device Name (Core 6.0, Vol 3, Part C, 12.1); nil if the device has none, or refuses the read.
    private static func deviceName(of peripheral: Peripheral, timeout: Duration) async throws -> String? {
        guard let characteristic = peripheral["1800"]?["2A00"] else { return nil }
        let outcome = try await result { () async throws(BluetoothError) in
            try await characteristic.read(timeout: timeout)
        }
        return (try? outcome.get()).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Returns the primary and the secondary services with their contents, in the order of the device.
    /// - Throws: ``BluetoothError`` as `Peripheral.discoverAll(timeout:)` does.
    package static func services(
        of peripheral: Peripheral, timeout: Duration
    ) async throws -> [Harald.Service] {
        let primary = try await peripheral.discoverAll(timeout: timeout)
        let secondary = try await peripheral.discoverSecondaryServices(timeout: timeout)
        try await peripheral.discoverContents(of: secondary, timeout: timeout)
        let others = peripheral.services.filter { !$0.isPrimary }
        return (primary + others).sorted { $0.handle.rawValue < $1.handle.rawValue }
    }

    private static func read(
        _ characteristic: Harald.Characteristic, values: Bool, timeout: Duration
    ) async throws -> Characteristic {
        var entry = Characteristic(
            uuid: characteristic.uuid, name: characteristic.name, handle: characteristic.valueHandle.rawValue,
            properties: characteristic.properties.names)
        if values, characteristic.properties.contains(.read) {
            let outcome = try await result { () async throws(BluetoothError) in
                try await characteristic.read(timeout: timeout)
            }
            switch outcome {
            case .success(let bytes): entry.value = ValueText(bytes, of: characteristic.uuid)
            case .failure(let error): entry.problem = error.reason
            }
        }
        for descriptor in characteristic.descriptors {
            var line = Descriptor(uuid: descriptor.uuid, name: descriptor.name, handle: descriptor.handle.rawValue)
            if values {
                let outcome = try await result { () async throws(BluetoothError) in
                    try await descriptor.read(timeout: timeout)
                }
                switch outcome {
                case .success(let bytes): line.value = ValueText(bytes, of: descriptor.uuid)
                // Descriptors do not declare whether they are readable, so a refusal is no problem.
                case .failure(let error) where error.code == .att(.readNotPermitted): break
                case .failure(let error): line.problem = error.reason
                }
            }
            entry.descriptors.append(line)
        }
        let formats = entry.descriptors.filter { $0.uuid == CharacteristicPresentationFormat.uuid }
        if let bytes = entry.value?.bytes, formats.count == 1,
            let format = formats[0].value.flatMap({ try? CharacteristicPresentationFormat(bytes: $0.bytes) })
        {
            entry.value = ValueText(bytes, of: entry.uuid, format: format)
        }
        return entry
    }

    /// Returns a value, or the error with which the device refused it, which does not prevent showing the tree. Errors
    /// that concern the whole link are thrown.
    private static func result(
        _ read: () async throws(BluetoothError) -> [UInt8]
    ) async throws(BluetoothError) -> Result<[UInt8], BluetoothError> {
        do throws(BluetoothError) {
            return .success(try await read())
        } catch {
            switch error.code {
            case .cancelled, .timeout, .disconnected, .notConnected, .radio, .controller: throw error
            default: return .failure(error)
            }
        }
    }
}
