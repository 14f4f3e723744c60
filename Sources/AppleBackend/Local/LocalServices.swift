#if os(macOS) || os(iOS) || os(visionOS) || os(Linux)
import BluetoothBackend
import BluetoothModel
import CoreBluetooth

/// The services of a local device as objects of CoreBluetooth. Confined to the loop.
final class LocalServices {
    /// A characteristic's value.
    final class Value {
        let id: AttributeID
        let object: CBMutableCharacteristic
        /// Stored here if no handler answers reads: a value stored in CoreBluetooth is constant.
        var bytes: [UInt8]?

        init(_ id: AttributeID, _ object: CBMutableCharacteristic, _ bytes: [UInt8]?) {
            self.id = id
            self.object = object
            self.bytes = bytes
        }
    }

    private var last: UInt32 = 0
    private var services: [AttributeID: CBMutableService] = [:]
    private(set) var values: [AttributeID: Value] = [:]
    private var ids: [ObjectIdentifier: AttributeID] = [:]

    private func next() -> AttributeID {
        last += 1
        return AttributeID(rawValue: last)
    }

    /// Creates CoreBluetooth's objects.
    /// - Throws: `RadioError.unsupported` if CoreBluetooth cannot represent the service, `invalidArgument` if an
    ///   included service is not published.
    func make(_ service: LocalService) throws(RadioError) -> (CBMutableService, PlacedService) {
        guard service.handle == nil, service.characteristics.allSatisfy({ $0.handle == nil }) else {
            throw .unsupported("CoreBluetooth chooses the handles itself")
        }
        var included: [CBService] = []
        for id in service.included {
            guard let other = services[id] else { throw .invalidArgument("an included service is not published") }
            included.append(other)
        }
        let object = CBMutableService(type: service.uuid.coreBluetooth, primary: service.isPrimary)
        var made: [CBMutableCharacteristic] = []
        for characteristic in service.characteristics { made.append(try Self.make(characteristic)) }
        object.characteristics = made
        if !included.isEmpty { object.includedServices = included }
        let id = next()
        services[id] = object
        let places = zip(made, service.characteristics).map { made, characteristic in
            let value = Value(next(), made, characteristic.value)
            values[value.id] = value
            ids[ObjectIdentifier(made)] = value.id
            return PlacedService.Characteristic(
                value: value.id, descriptors: characteristic.descriptors.map { _ in next() })
        }
        return (object, PlacedService(id: id, characteristics: places))
    }

    private static func make(_ characteristic: LocalCharacteristic) throws(RadioError) -> CBMutableCharacteristic {
        let known: AttributePermissions = [
            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
        ]
        guard characteristic.permissions.isSubset(of: known), characteristic.minimumKeySize == 0 else {
            throw .unsupported(
                "CoreBluetooth can require only encryption, no higher level, of characteristic \(characteristic.uuid)"
            )
        }
        let made = CBMutableCharacteristic(
            type: characteristic.uuid.coreBluetooth,
            properties: CBCharacteristicProperties(rawValue: .init(characteristic.properties.rawValue)), value: nil,
            permissions: CBAttributePermissions(rawValue: .init(characteristic.permissions.rawValue)))
        var descriptors: [CBMutableDescriptor] = []
        for descriptor in characteristic.descriptors {
            let type = descriptor.uuid.coreBluetooth
            switch descriptor.uuid {
            case 0x2901: descriptors.append(.init(type: type, value: String(decoding: descriptor.value, as: UTF8.self)))
            case 0x2904: descriptors.append(.init(type: type, value: Data(descriptor.value)))
            default:
                throw .unsupported(
                    "CoreBluetooth publishes descriptions (2901) and formats (2904), not descriptor \(descriptor.uuid)")
            }
        }
        if !descriptors.isEmpty { made.descriptors = descriptors }
        return made
    }

    func service(_ id: AttributeID) -> CBMutableService? { services[id] }

    func remove(_ id: AttributeID) -> CBMutableService? {
        guard let service = services.removeValue(forKey: id) else { return nil }
        for (id, value) in values where service.characteristics?.contains(where: { $0 === value.object }) == true {
            values[id] = nil
            ids[ObjectIdentifier(value.object)] = nil
        }
        return service
    }

    /// Returns the stored values after these writes, or the error of one that begins beyond the end of its value.
    func applying(_ writes: [LocalWriteRequest.Part]) -> Result<[AttributeID: [UInt8]], ATTErrorCode> {
        var changed: [AttributeID: [UInt8]] = [:]
        for write in writes {
            guard let stored = changed[write.attribute] ?? values[write.attribute]?.bytes else { continue }
            guard let value = write.applied(to: stored) else { return .failure(.invalidOffset) }
            changed[write.attribute] = value
        }
        return .success(changed)
    }

    func value(of object: CBCharacteristic) -> Value? { ids[ObjectIdentifier(object)].flatMap { values[$0] } }
}
#endif
