import BluetoothBackend
import BluetoothModel
import Foundation

/// A discovered service of a device, stored for the next run of the program.
struct RememberedService: Codable, Equatable, Sendable {
    struct Characteristic: Codable, Equatable, Sendable {
        var attribute: UInt32
        var uuid: String
        var properties: UInt
        var isNotifying: Bool
        /// The descriptors; nil if they were not discovered.
        var descriptors: [Descriptor]?
    }

    struct Descriptor: Codable, Equatable, Sendable {
        var attribute: UInt32
        var uuid: String
    }

    var attribute: UInt32
    var uuid: String
    var isPrimary: Bool
    /// True for a service in the device's own list; false for one that is only included by others.
    var isListed: Bool
    /// The attributes of the included services; nil if they were not discovered.
    var included: [UInt32]?
    var characteristics: [Characteristic]?

    /// Returns the discovered services of a device, listed or included, each once. Callable from any thread.
    static func all(of peripheral: CBPeripheral) -> [RememberedService] {
        let listed = peripheral.services ?? []
        return CBService.reachable(from: listed).compactMap { service in
            RememberedService(service, isListed: listed.contains { $0 === service })
        }
    }

    private init?(_ service: CBService, isListed: Bool) {
        guard let id = service.attribute, service.isValid else { return nil }
        attribute = id.rawValue
        uuid = service.uuid.model.fullText
        isPrimary = service.isPrimary
        self.isListed = isListed
        included = service.includedServices?.compactMap { $0.attribute?.rawValue }
        characteristics = service.characteristics?.compactMap { characteristic in
            characteristic.attribute.map {
                Characteristic(
                    attribute: $0.rawValue, uuid: characteristic.uuid.model.fullText,
                    properties: characteristic.properties.rawValue, isNotifying: characteristic.isNotifying,
                    descriptors: characteristic.descriptors?.compactMap { descriptor in
                        descriptor.attribute.map {
                            Descriptor(attribute: $0.rawValue, uuid: descriptor.uuid.model.fullText)
                        }
                    })
            }
        }
    }

    /// Creates the device's services from the state of an earlier run. Damaged entries are left out.
    static func services(_ remembered: [RememberedService], of peripheral: CBPeripheral) -> [CBService] {
        var made: [UInt32: CBService] = [:]
        for service in remembered where made[service.attribute] == nil {
            made[service.attribute] = service.made(for: peripheral)
        }
        for service in remembered {
            made[service.attribute]?.setIncludedServices(service.included?.compactMap { made[$0] })
        }
        return remembered.filter(\.isListed).compactMap { made[$0.attribute] }
    }

    private func made(for peripheral: CBPeripheral) -> CBService? {
        guard let type = BluetoothUUID(uuid) else { return nil }
        let service = CBService(
            type: CBUUID(type), isPrimary: isPrimary, attribute: AttributeID(rawValue: attribute),
            peripheral: peripheral)
        service.setCharacteristics(characteristics?.compactMap { $0.made(for: service) })
        return service
    }
}

extension RememberedService.Characteristic {
    fileprivate func made(for service: CBService) -> CBCharacteristic? {
        guard let type = BluetoothUUID(uuid) else { return nil }
        let made = CBCharacteristic(
            type: CBUUID(type), properties: CBCharacteristicProperties(rawValue: properties),
            attribute: AttributeID(rawValue: attribute), service: service)
        made.setNotifying(isNotifying)
        made.setDescriptors(
            descriptors?.compactMap { descriptor in
                BluetoothUUID(descriptor.uuid).map {
                    CBDescriptor(
                        type: CBUUID($0), attribute: AttributeID(rawValue: descriptor.attribute), characteristic: made)
                }
            })
        return made
    }
}

extension CBService {
    /// Returns services and those that they include, directly or indirectly; each once, also where inclusions are
    /// circular.
    static func reachable(from services: [CBService]) -> [CBService] {
        var found: [CBService] = []
        var seen: Set<ObjectIdentifier> = []
        var waiting = services[...]
        while let next = waiting.popFirst() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            found.append(next)
            waiting += next.includedServices ?? []
        }
        return found
    }
}
