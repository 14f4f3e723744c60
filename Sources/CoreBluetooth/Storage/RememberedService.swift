import BluetoothBackend
import BluetoothModel
import Foundation

/// A service of a device as it was discovered, kept for the next run of the program.
struct RememberedService: Codable, Equatable, Sendable {
    struct Characteristic: Codable, Equatable, Sendable {
        var attribute: UInt32
        var uuid: String
        var properties: UInt
        var isNotifying: Bool
        /// Nil where they were not discovered.
        var descriptors: [Descriptor]?
    }

    struct Descriptor: Codable, Equatable, Sendable {
        var attribute: UInt32
        var uuid: String
    }

    var attribute: UInt32
    var uuid: String
    var isPrimary: Bool
    /// Whether it is one of the device's own services; else another one includes it.
    var isListed: Bool
    /// The attributes of the services that it includes, and its characteristics; nil where they were not discovered.
    var included: [UInt32]?
    var characteristics: [Characteristic]?

    /// What was discovered of a device, wherever it hangs: each service once. From any thread.
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

    /// The device's services, made of what an earlier run left. What is damaged is left out.
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
    /// Services and what they include, directly or not; each once, also where a device includes them in a circle.
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
