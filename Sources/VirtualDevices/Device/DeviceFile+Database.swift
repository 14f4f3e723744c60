import BluetoothBackend
import Harald

extension DeviceService {
    /// True for the services Generic Access and Generic Attribute.
    var isGeneric: Bool { uuid == 0x1800 || uuid == 0x1801 }
}

extension DeviceFile {
    /// The device with derived values: a Device Name (2A00) and an Appearance (2A01) without a value, in a service 1800
    /// of the file, have those of the device.
    var completed: DeviceFile {
        guard let index = services.firstIndex(where: { $0.uuid == 0x1800 }) else { return self }
        var file = self
        for number in file.services[index].characteristics.indices
        where file.services[index].characteristics[number].value.parts.isEmpty {
            let appearance = appearance.rawValue
            let bytes: [UInt8] =
                switch file.services[index].characteristics[number].uuid {
                case 0x2A00: Array(name.utf8)
                case 0x2A01: [UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8)]
                default: []
                }
            if !bytes.isEmpty { file.services[index].characteristics[number].value = ValueTemplate(bytes) }
        }
        return file
    }

    /// Returns the service definitions for a local peripheral. `bind` sets the value and the handlers of each
    /// characteristic.
    func definitions(
        _ bind: (DeviceValues.Place, inout CharacteristicDefinition) -> Void
    ) -> [ServiceDefinition] {
        services.enumerated().map { index, service in
            let characteristics = service.characteristics.enumerated().map { number, characteristic in
                var definition = CharacteristicDefinition(
                    characteristic.uuid, characteristic.properties, permissions: characteristic.permissions,
                    description: characteristic.description,
                    descriptors: characteristic.descriptors.map {
                        LocalDescriptor(uuid: $0.uuid, value: $0.value, permissions: $0.permissions, handle: $0.handle)
                    }, handle: characteristic.handle)
                definition.hasConfiguration = characteristic.hasConfiguration
                bind(DeviceValues.Place(service: index, characteristic: number), &definition)
                return definition
            }
            var definition = ServiceDefinition(
                service.uuid, isPrimary: service.isPrimary, characteristics, handle: service.handle)
            definition.includedMembers = service.includes.compactMap { services.firstIndex(where: $0.names) }
            definition.endHandle = service.endHandle
            return definition
        }
    }

    /// The services with their initial values, as the host stack places them.
    package var localServices: [LocalService] {
        let file = completed
        return file.definitions { place, definition in
            var player = ValuePlayer(file.services[place.service].characteristics[place.characteristic].value)
            definition.value = player.bytes(at: .zero)
        }.map(\.record)
    }
}
