import Harald

extension DeviceTree {
    /// Discovers everything on a connected device; with `values` also reads what can be read.
    static func read(_ peripheral: Peripheral, values: Bool, timeout: Duration) async throws -> DeviceTree {
        var tree = DeviceTree(
            id: peripheral.id, name: peripheral.name, address: peripheral.address?.text, mtu: peripheral.mtu)
        for service in try await peripheral.discoverAll(timeout: timeout) {
            var entry = Service(
                uuid: service.uuid, name: service.name, handle: service.attribute.rawValue, isPrimary: service.isPrimary
            )
            for characteristic in service.characteristics {
                entry.characteristics.append(try await read(characteristic, values: values, timeout: timeout))
            }
            tree.services.append(entry)
        }
        (tree.name, tree.mtu) = (peripheral.name, peripheral.mtu)
        return tree
    }

    private static func read(
        _ characteristic: Harald.Characteristic, values: Bool, timeout: Duration
    ) async throws -> Characteristic {
        var entry = Characteristic(
            uuid: characteristic.uuid, name: characteristic.name, handle: characteristic.attribute.rawValue,
            properties: characteristic.properties.names)
        if values, characteristic.properties.contains(.read) {
            entry.value = try await optional { try await characteristic.read(timeout: timeout) }
                .map { ValueText($0, of: characteristic.uuid) }
        }
        for descriptor in characteristic.descriptors {
            var line = Descriptor(uuid: descriptor.uuid, name: descriptor.name, handle: descriptor.attribute.rawValue)
            if values {
                line.value = try await optional { try await descriptor.read(timeout: timeout) }
                    .map { ValueText($0, of: descriptor.uuid) }
            }
            entry.descriptors.append(line)
        }
        return entry
    }

    /// A value that the device does not give away is no reason to show no tree.
    private static func optional(_ read: () async throws -> [UInt8]) async throws -> [UInt8]? {
        do {
            return try await read()
        } catch let error as BluetoothError {
            if case .att = error.code { return nil }
            throw error
        }
    }
}
