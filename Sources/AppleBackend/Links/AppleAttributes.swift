import BluetoothBackend
import BluetoothModel
import CoreBluetooth

/// Identifiers for a device's attributes, whose handles CoreBluetooth hides. Confined to the loop.
///
/// An attribute is identified by its position: it has the same number after a reconnection, when CoreBluetooth creates
/// new objects.
final class AppleAttributes {
    /// A UUID and the number of preceding siblings with the same UUID.
    private struct Step: Hashable {
        var parent: AttributeID?
        var uuid: BluetoothUUID
        var number: Int
    }

    private var numbers: [Step: AttributeID] = [:]
    private var last: UInt32 = 0
    private var ids: [ObjectIdentifier: AttributeID] = [:]
    private var objects: [AttributeID: CBAttribute] = [:]

    func id(of object: CBAttribute) -> AttributeID? { ids[ObjectIdentifier(object)] }
    func service(_ id: AttributeID) -> CBService? { objects[id] as? CBService }
    func characteristic(_ id: AttributeID) -> CBCharacteristic? { objects[id] as? CBCharacteristic }
    func descriptor(_ id: AttributeID) -> CBDescriptor? { objects[id] as? CBDescriptor }

    /// Records the attributes discovered in `parent`, in order; nil for the device's services.
    func note(_ found: [CBAttribute], in parent: AttributeID?) -> [AttributeID] {
        var counts: [BluetoothUUID: Int] = [:]
        return found.map { object in
            let uuid = BluetoothUUID(object.uuid)
            let number = counts[uuid, default: 0]
            counts[uuid] = number + 1
            if let known = id(of: object) { return known }
            let id = identifier(Step(parent: parent, uuid: uuid, number: number))
            if let old = objects[id] { ids[ObjectIdentifier(old)] = nil }
            objects[id] = object
            ids[ObjectIdentifier(object)] = id
            return id
        }
    }

    private func identifier(_ step: Step) -> AttributeID {
        if let known = numbers[step] { return known }
        last += 1
        let id = AttributeID(rawValue: last)
        numbers[step] = id
        return id
    }

    /// Removes a service that is no longer valid, and returns the attributes in it with its own.
    func forget(_ service: CBService) -> Set<AttributeID> {
        guard let id = id(of: service) else { return [] }
        var gone: Set<AttributeID> = [id]
        for (step, inner) in numbers where step.parent == id {
            gone.insert(inner)
            gone.formUnion(numbers.filter { $0.key.parent == inner }.values)
        }
        for id in gone { if let object = objects.removeValue(forKey: id) { ids[ObjectIdentifier(object)] = nil } }
        return gone
    }

    /// Removes CoreBluetooth's objects after the connection ended.
    func forgetObjects() {
        objects = [:]
        ids = [:]
    }
}
