import BluetoothBackend
import BluetoothHost

extension GATTServiceDefinition {
    /// The same service, as the host stack describes it.
    init(_ service: LocalService) {
        self.init(
            uuid: service.uuid, isPrimary: service.isPrimary, includes: service.included.map(\.handle),
            characteristics: service.characteristics.map { characteristic in
                var definition = GATTCharacteristicDefinition(
                    uuid: characteristic.uuid, properties: characteristic.properties,
                    permissions: characteristic.permissions,
                    value: characteristic.value.map { .kept($0) } ?? .dynamic,
                    descriptors: characteristic.descriptors.map {
                        GATTDescriptorDefinition(
                            uuid: $0.uuid, value: .kept($0.value), permissions: $0.permissions, handle: $0.handle)
                    },
                    handle: characteristic.handle)
                definition.minimumKeySize = characteristic.minimumKeySize
                return definition
            }, handle: service.handle)
    }
}
