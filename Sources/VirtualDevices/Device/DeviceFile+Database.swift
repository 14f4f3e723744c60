import BluetoothBackend
import Harald

extension DeviceService {
    /// Whether it is one of the two services that every device has.
    var isGeneric: Bool { uuid == 0x1800 || uuid == 0x1801 }
}

extension DeviceFile {
    /// The device with the values that it takes from elsewhere: a Device Name (2A00) and an Appearance (2A01) of its
    /// own service 1800 that have no value are the device's.
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

    /// The services as a local peripheral has them; `bind` gives each characteristic its value and what answers for it.
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

    /// The services with the values that they have in the beginning, as the stack places them.
    package var localServices: [LocalService] {
        let file = completed
        return file.definitions { place, definition in
            var player = ValuePlayer(file.services[place.service].characteristics[place.characteristic].value)
            definition.value = player.bytes(at: .zero)
        }.map(\.record)
    }
}
