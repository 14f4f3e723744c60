import BluetoothModel
import BluetoothRuntime

/// A GATT database and the clients that are connected to it (Core 6.0, Vol 3, Part G). One device of ours has one;
/// each of its links has a ``GATTServerSession``.
///
/// The services 1800 and 1801 are always there.
public final class GATTServer {
    /// Who is asked for values that the server does not keep, and told what clients do; held weakly.
    public weak var delegate: (any GATTServerDelegate)?
    /// What the server was made with; only the name changes.
    public private(set) var configuration: GATTServerConfiguration
    /// The clients that are connected.
    public var sessions: [GATTServerSession] { clients }

    /// Only ever replaced as a whole, like ``table``: what every packet reads costs no check then.
    private(set) var clients: [GATTServerSession] = []
    /// How many values subscribers missed because their queues were full.
    public internal(set) var droppedValues = 0
    private(set) var table = AttributeTable()
    private var digest: [UInt8]?
    /// The value handle of Service Changed.
    private(set) var serviceChangedHandle: UInt16 = 0
    private var nameHandle: UInt16 = 0

    /// A server with the two services that every device has. Handles in the configuration that collide are ignored.
    public init(_ configuration: GATTServerConfiguration = GATTServerConfiguration()) {
        self.configuration = configuration
        _ = placeOwn(configuration.gapService)
        _ = placeOwn(configuration.gattService)
        findOwnAttributes()
    }

    /// Finds the attributes that the server sets or sends by itself; 0 stands for those that it does not have.
    private func findOwnAttributes() {
        func value(_ uuid: BluetoothUUID, in service: BluetoothUUID) -> UInt16 {
            guard let declaration = table.attributes.first(where: { $0.declares(service) }) else { return 0 }
            let attributes = table.attributes(in: declaration.handle...declaration.groupEnd)
            return attributes.first { $0.type == uuid }?.handle ?? 0
        }
        nameHandle = value(GATTType.deviceName, in: GATTType.gapService)
        serviceChangedHandle = value(GATTType.serviceChanged, in: GATTType.gattService)
    }

    private func placeOwn(_ service: GATTServiceDefinition) -> GATTPlacedService? {
        if let placed = try? place(service) { return placed }
        var anywhere = service
        anywhere.handle = nil
        return try? place(anywhere)
    }

    // MARK: The database

    /// Adds a service; connected clients that asked for it are told. Throws ``RadioError/invalidArgument(_:)`` where
    /// handles that are asked for collide or do not go up, or an included service is missing.
    public func add(_ service: GATTServiceDefinition) throws(RadioError) -> GATTPlacedService {
        guard service.uuid != GATTType.gapService, service.uuid != GATTType.gattService else {
            throw .invalidArgument("every server has the service \(service.uuid) already")
        }
        let placed = try place(service)
        databaseChanged(placed.range)
        return placed
    }

    private func place(_ service: GATTServiceDefinition) throws(RadioError) -> GATTPlacedService {
        var placement = ServicePlacement(table)
        let placed = try placement.place(service)
        guard placement.openIncludes.isEmpty else {
            throw .invalidArgument("a service that is added alone includes others by their handles")
        }
        var changed = table
        try changed.insert(placement.group, endHandle: service.endHandle)
        table = changed
        digest = nil
        return placed
    }

    /// Replaces the whole database. Services 1800 and 1801 among `services` take the place of the server's own; with
    /// `addsGenericServices` those that are missing are added. Connected clients that asked for changes are told.
    /// - Returns: the places of `services`, in their order.
    /// - Throws: the first definition that cannot be placed; the database stays as it was.
    public func replaceDatabase(
        _ services: [GATTServiceDefinition], addsGenericServices: Bool
    ) throws(GATTPlacementError) -> [GATTPlacedService] {
        let generic = addsGenericServices ? [configuration.gapService, configuration.gattService] : []
        let layout = try DatabaseLayout(services, generic: generic)
        for session in sessions { session.forgetSubscriptions(in: 1...0xFFFF) }
        table = layout.table
        findOwnAttributes()
        databaseChanged(1...0xFFFF)
        return layout.placed
    }

    /// Removes a service by the handle of its declaration; connected clients that asked for it are told. The services
    /// 1800 and 1801 stay.
    public func remove(_ serviceHandle: UInt16) {
        guard let service = table[serviceHandle], case .declaration(let uuid) = service.value,
            !uuid.withByteView({ GATTType.gapService.matches(littleEndian: $0) }),
            !uuid.withByteView({ GATTType.gattService.matches(littleEndian: $0) }),
            case var changed = table, let range = changed.removeService(at: serviceHandle)
        else { return }
        table = changed
        for session in sessions { session.forgetSubscriptions(in: range) }
        databaseChanged(range)
    }

    private func databaseChanged(_ range: ClosedRange<UInt16>) {
        digest = nil
        for session in sessions { session.databaseChanged(range) }
    }

    /// The Database Hash, 16 octets in the order of the specification; on the air they go the other way round
    /// (Core 6.0, Vol 3, Part G, 7.3).
    public var databaseHash: [UInt8] {
        if let digest { return digest }
        let digest = DatabaseHash.digest(table.hashInput)
        self.digest = digest
        return digest
    }

    // MARK: Values

    /// The name of the device, as clients read it.
    public var name: String {
        get { configuration.name }
        set {
            configuration.name = newValue
            setValue(GATTServerConfiguration.nameBytes(newValue), of: nameHandle)
        }
    }

    /// Replaces a value that the server keeps; nobody is notified.
    public func setValue(_ bytes: [UInt8], of handle: UInt16) {
        guard let attribute = table[handle], case .kept = attribute.value else { return }
        attribute.value = .kept(bytes)
    }

    /// A value that the server keeps.
    public func value(of handle: UInt16) -> [UInt8]? {
        guard let attribute = table[handle], case .kept(let bytes) = attribute.value else { return nil }
        return bytes
    }

    // MARK: Clients

    /// Whether a notification to any client that is not stalled would go out at once;
    /// ``GATTServerDelegate/server(_:isReadyToSendTo:)`` tells when again.
    public var canNotify: Bool {
        for session in clients where !session.canNotify && !session.bearer.isNotificationStalled { return false }
        return true
    }

    /// How many more values of a characteristic the queues of its subscribers take, or of those in `sessions`: the least of
    /// ``GATTServerSession/room(for:)``. With less than `wanted`, ``GATTServerDelegate/server(_:isReadyToSendTo:)`` tells
    /// when to ask again.
    public func room(for valueHandle: UInt16, in sessions: [GATTServerSession]? = nil, wanted: Int = 1) -> Int {
        var least = Int.max
        for session in sessions ?? clients {
            let room = session.room(for: valueHandle)
            if room < wanted { session.bearer.askForRoom() }
            least = min(least, room)
        }
        return least
    }

    /// Who has subscribed to a characteristic.
    public func subscribers(of valueHandle: UInt16) -> [GATTServerSession] {
        sessions.filter { !$0.subscription(to: valueHandle).isEmpty }
    }

    func opened(_ session: GATTServerSession) { clients = clients + [session] }

    func closed(_ session: GATTServerSession) { clients = clients.filter { $0 !== session } }
}
