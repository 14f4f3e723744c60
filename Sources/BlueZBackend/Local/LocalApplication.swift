import BluetoothBackend
import BluetoothModel
import SystemBus

/// The exported D-Bus objects from which BlueZ reads a local device: services, characteristics, descriptors and the
/// advertisement. It has no other state.
final class LocalApplication {
    /// A characteristic or a descriptor, as BlueZ addresses it.
    struct Attribute {
        var id: AttributeID
        var interface: String
        /// The value, if it is stored here.
        var value: [UInt8]?
        var properties: [String: BusValue]
    }

    let path: String
    var advertisementPath: String { path + "/advertisement" }
    private var services: [String: [String: BusValue]] = [:]
    private(set) var attributes: [String: Attribute] = [:]
    private var paths: [AttributeID: String] = [:]
    private var servicePaths: [AttributeID: String] = [:]
    private var lastNumber: UInt32 = 0
    var advertisement: [String: BusValue]?
    /// Handles calls of `GattCharacteristic1`, `GattDescriptor1` and `LEAdvertisement1`.
    var onCall: ((BusCall, Attribute?) -> Void)?

    init(path: String) { self.path = path }

    var isEmpty: Bool { services.isEmpty }
    func path(of id: AttributeID) -> String? { paths[id] }
    func attribute(_ id: AttributeID) -> Attribute? { paths[id].flatMap { attributes[$0] } }

    private func nextID() -> AttributeID {
        lastNumber += 1
        return AttributeID(rawValue: lastNumber)
    }

    // MARK: The database

    func add(_ service: LocalService) -> PlacedService {
        let id = nextID()
        let path = "\(path)/service\(id.rawValue)"
        services[path] = [
            "UUID": .string(service.uuid.fullText.lowercased()), "Primary": .bool(service.isPrimary),
            "Includes": .array(service.included.compactMap { servicePaths[$0].map { .path($0) } }, of: "o"),
        ]
        servicePaths[id] = path
        var placed = PlacedService(id: id, characteristics: [])
        for characteristic in service.characteristics { placed.characteristics.append(add(characteristic, path)) }
        return placed
    }

    private func add(_ characteristic: LocalCharacteristic, _ service: String) -> PlacedService.Characteristic {
        let id = nextID()
        let path = "\(service)/char\(id.rawValue)"
        paths[id] = path
        attributes[path] = Attribute(
            id: id, interface: BlueZ.gattCharacteristic, value: characteristic.value,
            properties: [
                "UUID": .string(characteristic.uuid.fullText.lowercased()), "Service": .path(service),
                "Flags": .strings(
                    BlueZFlags.characteristic(characteristic.properties, characteristic.permissions)),
            ])
        var descriptors: [AttributeID] = []
        for descriptor in characteristic.descriptors {
            let id = nextID()
            let own = "\(path)/desc\(id.rawValue)"
            paths[id] = own
            attributes[own] = Attribute(
                id: id, interface: BlueZ.gattDescriptor, value: descriptor.value,
                properties: [
                    "UUID": .string(descriptor.uuid.fullText.lowercased()), "Characteristic": .path(path),
                    "Flags": .strings(BlueZFlags.descriptor(descriptor.permissions)),
                ])
            descriptors.append(id)
        }
        return PlacedService.Characteristic(value: id, descriptors: descriptors)
    }

    func remove(_ service: AttributeID) {
        guard let path = servicePaths.removeValue(forKey: service) else { return }
        services[path] = nil
        for (own, attribute) in attributes where own.hasPrefix(path + "/") {
            attributes[own] = nil
            paths[attribute.id] = nil
        }
    }

    func setValue(_ value: [UInt8], of id: AttributeID) {
        guard let path = paths[id] else { return }
        attributes[path]?.value = value
    }

    /// Returns false for a write that begins beyond the end of a stored value.
    func accepts(_ write: LocalWriteRequest.Part) -> Bool {
        guard let stored = paths[write.attribute].flatMap({ attributes[$0]?.value }) else { return true }
        return write.applied(to: stored) != nil
    }

    /// Writes to a stored value; has no effect on others.
    func apply(_ write: LocalWriteRequest.Part) {
        guard let path = paths[write.attribute], let stored = attributes[path]?.value else { return }
        attributes[path]?.value = write.applied(to: stored)
    }

    // MARK: The bus

    /// All objects, `a{oa{sa{sv}}}`.
    private var managed: BusValue {
        var objects: [BusValue: BusValue] = [:]
        func add(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
            objects[.path(path)] = .dictionary(
                [.string(interface): .properties(properties)], key: "s", value: "a{sv}")
        }
        for (path, properties) in services { add(path, BlueZ.gattService, properties) }
        for (path, attribute) in attributes { add(path, attribute.interface, attribute.properties) }
        return .dictionary(objects, key: "o", value: "a{sa{sv}}")
    }

    private func properties(at path: String, of interface: String) -> [String: BusValue]? {
        if path == advertisementPath, interface == BlueZ.advertisement { return advertisement }
        if interface == BlueZ.gattService { return services[path] }
        if let attribute = attributes[path], attribute.interface == interface { return attribute.properties }
        return nil
    }

    /// Handles a call; returns false if the object is not one of these.
    func called(_ call: BusCall) -> Bool {
        guard call.path == path || call.path.hasPrefix(path + "/") else { return false }
        switch (call.interface, call.member) {
        case (BlueZ.objectManager, "GetManagedObjects"): call.respond(.success([managed]))
        case (BlueZ.properties, "GetAll"):
            let found = properties(at: call.path, of: call.arguments.first?.text ?? "")
            call.respond(.success([.properties(found ?? [:])]))
        case (BlueZ.properties, "Get"):
            let arguments = call.arguments.compactMap(\.text)
            if arguments.count == 2, let value = properties(at: call.path, of: arguments[0])?[arguments[1]] {
                call.respond(.success([.variant(value)]))
            } else {
                call.respond(.failure(BusError("org.freedesktop.DBus.Error.UnknownProperty", "no such property")))
            }
        case (BlueZ.gattCharacteristic, _), (BlueZ.gattDescriptor, _), (BlueZ.advertisement, _):
            onCall?(call, attributes[call.path])
        default: return false
        }
        return true
    }
}
