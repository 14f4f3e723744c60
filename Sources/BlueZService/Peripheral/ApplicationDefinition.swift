import BluetoothBackend
import BluetoothModel
import SystemBus

/// The services of a client's application, as it exports them: what is placed in the database of the adapter, and the
/// objects that answer for the attributes.
struct ApplicationDefinition {
    static let serviceInterface = "org.bluez.GattService1"
    static let characteristicInterface = "org.bluez.GattCharacteristic1"
    static let descriptorInterface = "org.bluez.GattDescriptor1"
    static let profileInterface = "org.bluez.GattProfile1"

    struct Characteristic {
        let path: String
        /// The paths of the descriptors that the client answers for, by their positions.
        var descriptors: [Int: String] = [:]
    }

    struct Service {
        let path: String
        var local: LocalService
        /// The characteristics, in the order of those in `local`.
        var characteristics: [Characteristic] = []
        /// The paths of the included services.
        let includes: [String]
    }

    /// The objects that an application can have: more than fit into a database that a central reads in a minute.
    private static let limit = 2048

    private(set) var services: [Service] = []
    /// The services of other devices that the client wants a link to, by the paths of its profiles.
    private(set) var profiles: [String: Set<BluetoothUUID>] = [:]

    /// Reads the objects of a client.
    /// - Throws: `Failed`, with the texts of `bluetoothd`.
    init(_ objects: [String: ClientObjects.Interfaces]) throws(BusError) {
        if objects.count > Self.limit { throw Self.unplaced }
        // The objects of one parent in the order of their numbers.
        let paths = objects.keys.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        func all(_ interface: String) -> [(path: String, properties: [String: BusValue])] {
            paths.compactMap { path in objects[path]?[interface].map { (path, $0) } }
        }
        let (found, characteristics) = (all(Self.serviceInterface), all(Self.characteristicInterface))
        let descriptors = all(Self.descriptorInterface)
        for (path, properties) in all(Self.profileInterface) {
            guard let uuids = properties["UUIDs"]?.texts, !uuids.isEmpty else { continue }
            profiles[path] = Set(uuids.compactMap { BluetoothUUID($0) })
        }
        if found.isEmpty, characteristics.isEmpty, descriptors.isEmpty, profiles.isEmpty {
            throw .failed("No object received")
        }
        for (path, properties) in found {
            guard let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID($0) }),
                let isPrimary = properties["Primary"]?.bool
            else { throw Self.unplaced }
            let local = LocalService(
                uuid: uuid, isPrimary: isPrimary, characteristics: [], handle: properties["Handle"]?.requestedHandle)
            services.append(Service(path: path, local: local, includes: properties["Includes"]?.texts ?? []))
        }
        for (path, properties) in characteristics { try add(characteristic: path, properties) }
        for (path, properties) in descriptors { try add(descriptor: path, properties) }
        if services.isEmpty, profiles.isEmpty { throw Self.invalid }
    }

    private static let invalid = BusError.failed("No valid service object found")
    static let unplaced = BusError.failed("Failed to create entry in database")

    private mutating func add(characteristic path: String, _ properties: [String: BusValue]) throws(BusError) {
        guard let service = services.firstIndex(where: { $0.path == properties["Service"]?.text }),
            let flags = AttributeFlags(characteristic: properties["Flags"]?.texts)
        else { throw Self.invalid }
        guard let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID($0) }) else {
            throw Self.unplaced
        }
        var local = LocalCharacteristic(
            uuid: uuid, properties: flags.properties, permissions: flags.permissions,
            handle: properties["Handle"]?.requestedHandle)
        if flags.extended != 0 { local.descriptors.append(LocalDescriptor(uuid: 0x2900, value: [flags.extended, 0])) }
        services[service].local.characteristics.append(local)
        services[service].characteristics.append(Characteristic(path: path))
    }

    private mutating func add(descriptor path: String, _ properties: [String: BusValue]) throws(BusError) {
        let parent = properties["Characteristic"]?.text
        for service in services.indices {
            guard let index = services[service].characteristics.firstIndex(where: { $0.path == parent }) else {
                continue
            }
            guard let flags = AttributeFlags(descriptor: properties["Flags"]?.texts) else { throw Self.invalid }
            guard let uuid = properties["UUID"]?.text.flatMap({ BluetoothUUID($0) }) else {
                throw Self.unplaced
            }
            var local = LocalDescriptor(
                uuid: uuid, value: properties["Value"]?.bytes ?? [], permissions: flags.permissions,
                handle: properties["Handle"]?.requestedHandle)
            local.isAnswered = true
            let position = services[service].local.characteristics[index].descriptors.count
            services[service].local.characteristics[index].descriptors.append(local)
            services[service].characteristics[index].descriptors[position] = path
            return
        }
        throw Self.invalid
    }
}

extension BusValue {
    /// The handle that a client requests; nil for 0, which leaves the choice to the service.
    fileprivate var requestedHandle: UInt16? {
        if case .uint16(let handle) = unwrapped, handle != 0 { handle } else { nil }
    }
}
