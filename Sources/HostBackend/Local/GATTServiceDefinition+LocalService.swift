import BluetoothBackend
import BluetoothHost
import BluetoothModel

extension GATTServiceDefinition {
    /// Creates the host stack's definition of a service.
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
                            uuid: $0.uuid, value: $0.isAnswered ? .dynamic : .kept($0.value),
                            permissions: $0.permissions,
                            handle: $0.handle)
                    },
                    handle: characteristic.handle)
                definition.minimumKeySize = characteristic.minimumKeySize
                definition.configuration = characteristic.hasConfiguration.map { $0 ? .present : .absent } ?? .automatic
                return definition
            }, handle: service.handle)
        includedMembers = service.includedMembers
        endHandle = service.endHandle
    }
}

extension PlacedService {
    /// Creates the placement from that of the host stack.
    init(_ placed: GATTPlacedService) {
        self.init(
            id: AttributeID(placed.handle),
            characteristics: placed.characteristics.map { characteristic in
                Characteristic(
                    value: AttributeID(characteristic.valueHandle),
                    descriptors: characteristic.descriptorHandles.map { AttributeID($0) })
            })
    }
}

extension GATTServer {
    /// Replaces the whole database, as ``LocalDevice`` specifies.
    /// - Throws: ``LocalPlacementError`` with the attribute that cannot be placed.
    package func replaceDatabase(
        _ services: [LocalService], addsGenericServices: Bool
    ) throws(LocalPlacementError) -> [PlacedService] {
        do throws(GATTPlacementError) {
            let placed = try replaceDatabase(
                services.map { GATTServiceDefinition($0) }, addsGenericServices: addsGenericServices)
            return placed.map { PlacedService($0) }
        } catch {
            throw LocalPlacementError(
                service: error.service, characteristic: error.characteristic, descriptor: error.descriptor,
                reason: error.reason)
        }
    }
}

/// Checks databases without a device.
package enum LocalDatabase {
    /// Returns the error of a database of a local device; nil if it can be placed.
    package static func problem(with services: [LocalService], addsGenericServices: Bool) -> LocalPlacementError? {
        do throws(LocalPlacementError) {
            _ = try GATTServer().replaceDatabase(services, addsGenericServices: addsGenericServices)
            return nil
        } catch {
            return error
        }
    }
}
