import BluetoothBackend
import BluetoothModel
import Foundation

extension LocalService {
    /// The reason for which a service cannot be published.
    struct Flaw: Error {
        var code: CBError.Code
        var reason: String

        init(_ code: CBError.Code, _ reason: String) {
            self.code = code
            self.reason = reason
        }
    }

    /// Creates the backend's definition of a service.
    /// - Throws: ``Flaw`` if the service cannot be published.
    init(_ service: CBMutableService) throws(Flaw) {
        let reserved: Set<BluetoothUUID> = [0x1800, 0x1801]
        guard !reserved.contains(service.uuid.model) else {
            throw Flaw(.uuidNotAllowed, "the system publishes \(service.uuid.uuidString) itself")
        }
        guard service.placed == nil || service.isKept else {
            throw Flaw(.invalidParameters, "the service \(service.uuid.uuidString) is already published")
        }
        var included: [AttributeID] = []
        for other in service.includedServices ?? [] {
            guard let place = (other as? CBMutableService)?.placed else {
                throw Flaw(
                    .invalidParameters, "the included service \(other.uuid.uuidString) must be published first")
            }
            included.append(place)
        }
        var characteristics: [LocalCharacteristic] = []
        for characteristic in service.characteristics ?? [] {
            characteristics.append(try LocalCharacteristic(characteristic))
        }
        self.init(
            uuid: service.uuid.model, isPrimary: service.isPrimary, characteristics: characteristics, included: included
        )
    }
}

extension LocalCharacteristic {
    fileprivate init(_ characteristic: CBCharacteristic) throws(LocalService.Flaw) {
        let name = characteristic.uuid.uuidString
        guard let characteristic = characteristic as? CBMutableCharacteristic else {
            throw LocalService.Flaw(.invalidParameters, "the characteristic \(name) belongs to another device")
        }
        let properties = characteristic.properties
        if characteristic.value != nil,
            !properties.isDisjoint(with: [.write, .writeWithoutResponse, .notify, .indicate])
        {
            throw LocalService.Flaw(
                .invalidParameters, "the characteristic \(name) has a value, so it can only be read")
        }
        var descriptors: [LocalDescriptor] = []
        for descriptor in characteristic.descriptors ?? [] {
            let value: [UInt8]
            switch descriptor.value {
            case let data as Data: value = [UInt8](data)
            case let text as String: value = [UInt8](text.utf8)
            case let number as NSNumber: value = [UInt8(truncating: number), UInt8(number.uint16Value >> 8)]
            default:
                throw LocalService.Flaw(
                    .invalidParameters, "the value of a descriptor of \(name) must be a String or Data")
            }
            // The server provides these descriptors itself.
            guard ![0x2900, 0x2902].contains(descriptor.uuid.model) else { continue }
            descriptors.append(LocalDescriptor(uuid: descriptor.uuid.model, value: value))
        }
        var permissions = AttributePermissions(
            rawValue: UInt16(truncatingIfNeeded: characteristic.permissions.rawValue))
        // A permission for encrypted links includes the operation itself: programs often give only that permission.
        if permissions.contains(.readEncryptionRequired) { permissions.insert(.readable) }
        if permissions.contains(.writeEncryptionRequired) { permissions.insert(.writeable) }
        self.init(
            uuid: characteristic.uuid.model,
            properties: CharacteristicProperties(rawValue: UInt16(truncatingIfNeeded: properties.rawValue)),
            permissions: permissions,
            value: characteristic.value.map { [UInt8]($0) }, descriptors: descriptors)
    }
}
