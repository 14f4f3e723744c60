import BluetoothBackend
import BluetoothModel

/// A device's attributes, read from BlueZ's objects. Object paths contain handles, so an attribute keeps its identity
/// across reconnections and restarts.
struct RemoteDatabase {
    struct Characteristic {
        var record: RemoteCharacteristic
        var path: String
        var service: AttributeID
        var descriptors: [(record: RemoteDescriptor, path: String)]
        /// The ATT MTU that the characteristic reports (BlueZ 5.62 and later).
        var mtu: Int?
    }

    struct Service {
        var record: RemoteService
        var path: String
        var included: [String]
    }

    private(set) var services: [Service] = []
    private(set) var characteristics: [AttributeID: Characteristic] = [:]
    private(set) var descriptorPaths: [AttributeID: String] = [:]
    /// The Battery Service that is synthesized from `org.bluez.Battery1`, where BlueZ hides the real one. No attribute
    /// has these numbers: handles end at 0xFFFF.
    static let batteryService = AttributeID(rawValue: 0x1_0001)
    static let batteryLevel = AttributeID(rawValue: 0x1_0002)

    init() {}

    /// Reads the attributes of the device at `device`.
    init(_ objects: ManagedObjects, device: String) {
        for path in objects.paths(of: BlueZ.gattService, under: device) {
            guard let properties = objects[path, BlueZ.gattService], let handle = Self.handle(path),
                let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID($0) })
            else { continue }
            let id = AttributeID(rawValue: UInt32(handle))
            let record = RemoteService(id: id, uuid: uuid, isPrimary: properties["Primary"]?.bool ?? true)
            services.append(Service(record: record, path: path, included: properties["Includes"]?.texts ?? []))
            for path in objects.paths(of: BlueZ.gattCharacteristic, under: path) { add(path, of: id, objects) }
        }
        if objects[device, BlueZ.battery] != nil, !services.contains(where: { $0.record.uuid == BluetoothUUID(0x180F) })
        {
            addBattery(device)
        }
        services.sort { $0.record.id.rawValue < $1.record.id.rawValue }
    }

    private mutating func add(_ path: String, of service: AttributeID, _ objects: ManagedObjects) {
        guard let properties = objects[path, BlueZ.gattCharacteristic], let handle = Self.handle(path),
            let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID($0) })
        else { return }
        // The path contains the handle of the declaration; the value handle is the next (Core 6.0, Vol 3, Part G,
        // 3.3.2).
        let id = AttributeID(rawValue: UInt32(handle) + 1)
        let flags = CharacteristicProperties(bluezFlags: properties["Flags"]?.texts ?? [])
        var descriptors: [(record: RemoteDescriptor, path: String)] = []
        for path in objects.paths(of: BlueZ.gattDescriptor, under: path) {
            guard let handle = Self.handle(path),
                let uuid = objects[path, BlueZ.gattDescriptor]?["UUID"]?.text.flatMap({ BluetoothUUID($0) })
            else { continue }
            let id = AttributeID(rawValue: UInt32(handle))
            descriptors.append((RemoteDescriptor(id: id, uuid: uuid), path))
            descriptorPaths[id] = path
        }
        characteristics[id] = Characteristic(
            record: RemoteCharacteristic(id: id, uuid: uuid, properties: flags), path: path, service: service,
            descriptors: descriptors, mtu: properties["MTU"]?.integer)
    }

    private mutating func addBattery(_ device: String) {
        let service = RemoteService(id: Self.batteryService, uuid: BluetoothUUID(0x180F), isPrimary: true)
        services.append(Service(record: service, path: device, included: []))
        characteristics[Self.batteryLevel] = Characteristic(
            record: RemoteCharacteristic(
                id: Self.batteryLevel, uuid: BluetoothUUID(0x2A19), properties: [.read, .notify]), path: device,
            service: Self.batteryService, descriptors: [])
    }

    /// Returns the handle in the last four digits of an object's path: `.../char000b` is 0x000B.
    static func handle(_ path: String) -> UInt16? {
        let digits = path.utf8.suffix(4)
        guard digits.count == 4 else { return nil }
        return UInt16(String(decoding: Array(digits), as: UTF8.self), radix: 16)
    }

    /// Returns true if both have the same attributes at the same paths.
    func hasSameAttributes(as other: RemoteDatabase) -> Bool {
        descriptorPaths == other.descriptorPaths
            && characteristics.mapValues(\.path) == other.characteristics.mapValues(\.path)
    }

    func service(_ id: AttributeID) -> Service? { services.first { $0.record.id == id } }

    func characteristics(of service: AttributeID) -> [RemoteCharacteristic] {
        characteristics.values.filter { $0.service == service }.map(\.record).sorted { $0.id.rawValue < $1.id.rawValue }
    }
}

extension CharacteristicProperties {
    /// Creates the properties from BlueZ's names; security requirements, which it shows for the local side only, are
    /// ignored.
    init(bluezFlags flags: [String]) {
        self = []
        for flag in flags { if let property = Self.bluezNames[flag] { insert(property) } }
    }

    /// The names of the properties.
    static let bluezNames: [String: CharacteristicProperties] = [
        "broadcast": .broadcast, "read": .read, "write-without-response": .writeWithoutResponse, "write": .write,
        "notify": .notify, "indicate": .indicate, "authenticated-signed-writes": .authenticatedSignedWrites,
        "extended-properties": .extendedProperties,
    ]
}
