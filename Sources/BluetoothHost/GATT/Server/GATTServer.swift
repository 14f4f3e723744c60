import BluetoothModel
import BluetoothRuntime

/// A GATT database and its connected clients (Core 6.0, Vol 3, Part G). Each local device has one; each of its links
/// has a ``GATTServerSession``.
///
/// The database contains the services 1800 and 1801 unless ``replaceDatabase(_:addsGenericServices:)`` omits them.
package final class GATTServer {
    /// The delegate, which provides dynamic values and is notified of writes and subscriptions; a weak reference.
    package weak var delegate: (any GATTServerDelegate)?
    /// The configuration of the server, of which only the name changes.
    package private(set) var configuration: GATTServerConfiguration
    /// The sessions of the connected clients.
    package var sessions: [GATTServerSession] { clients }

    /// The storage of ``sessions``. Like ``table`` it is only replaced as a whole, so that reading it for every packet
    /// is cheap.
    private(set) var clients: [GATTServerSession] = []
    /// The number of values that subscribers missed because their queues were full.
    package internal(set) var droppedValues = 0
    private(set) var table = AttributeTable()
    private var digest: [UInt8]?
    /// The value handle of Service Changed.
    private(set) var serviceChangedHandle: UInt16 = 0
    private var nameHandle: UInt16 = 0

    /// Creates a server with the services 1800 and 1801. Handles in the configuration that collide are ignored.
    package init(_ configuration: GATTServerConfiguration = GATTServerConfiguration()) {
        self.configuration = configuration
        _ = placeOwn(configuration.gapService)
        _ = placeOwn(configuration.gattService)
        findOwnAttributes()
    }

    /// Finds the attributes that the server sets or sends by itself; 0 for those that do not exist.
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

    /// Adds a service and notifies the clients that subscribed to Service Changed.
    /// - Returns: The handles of the service.
    /// - Throws: ``RadioError/invalidArgument(_:)`` if the requested handles collide or are not ascending, if an
    ///   included service is missing, or for the services 1800 and 1801; ``RadioError/limit(_:)`` if no handle is left.
    package func add(_ service: GATTServiceDefinition) throws(RadioError) -> GATTPlacedService {
        guard service.uuid != GATTType.gapService, service.uuid != GATTType.gattService else {
            throw .invalidArgument("every server already has the service \(service.uuid)")
        }
        let placed = try place(service)
        databaseChanged(placed.range)
        return placed
    }

    private func place(_ service: GATTServiceDefinition) throws(RadioError) -> GATTPlacedService {
        var placement = ServicePlacement(table)
        let placed = try placement.place(service)
        guard placement.openIncludes.isEmpty else {
            throw .invalidArgument("a service that is added individually must include others by handle")
        }
        var changed = table
        try changed.insert(placement.group, endHandle: service.endHandle)
        table = changed
        digest = nil
        return placed
    }

    /// Replaces the whole database. Services 1800 and 1801 in `services` replace the server's own; with
    /// `addsGenericServices` missing ones are added. Clients that subscribed to Service Changed are notified.
    /// - Returns: The handles of `services`, in the same order.
    /// - Throws: ``GATTPlacementError`` for the first definition that cannot be placed; the database is then unchanged.
    package func replaceDatabase(
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

    /// Removes a service by the handle of its declaration and notifies the clients that subscribed to Service Changed.
    /// The services 1800 and 1801 are not removed.
    package func remove(_ serviceHandle: UInt16) {
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

    /// The Database Hash, 16 octets in the order of the specification, most significant first; packets carry them in
    /// reverse order (Core 6.0, Vol 3, Part G, 7.3).
    package var databaseHash: [UInt8] {
        if let digest { return digest }
        let digest = DatabaseHash.digest(table.hashInput)
        self.digest = digest
        return digest
    }

    // MARK: Values

    /// The device name, as clients read it.
    package var name: String {
        get { configuration.name }
        set {
            configuration.name = newValue
            setValue(GATTServerConfiguration.nameBytes(newValue), of: nameHandle)
        }
    }

    /// Replaces a value stored by the server, without notifications.
    package func setValue(_ bytes: [UInt8], of handle: UInt16) {
        guard let attribute = table[handle], case .kept = attribute.value else { return }
        attribute.value = .kept(bytes)
    }

    /// Returns a value stored by the server; nil for other attributes.
    package func value(of handle: UInt16) -> [UInt8]? {
        guard let attribute = table[handle], case .kept(let bytes) = attribute.value else { return nil }
        return bytes
    }

    // MARK: Clients

    /// True if a notification to each client that is not stalled would be sent immediately. After false,
    /// ``GATTServerDelegate/server(_:isReadyToSendTo:)`` is called when a client has room again.
    package var canNotify: Bool {
        for session in clients where !session.canNotify && !session.bearer.isNotificationStalled { return false }
        return true
    }

    /// Returns the number of values of a characteristic that still fit into the queues of all clients, or of those in
    /// `sessions`: the minimum of ``GATTServerSession/room(for:)``. If it is less than `wanted`,
    /// ``GATTServerDelegate/server(_:isReadyToSendTo:)`` is called when to ask again.
    /// - Parameter waitsForStalled: true to count stalled subscribers if there are no live ones.
    package func room(
        for valueHandle: UInt16, in sessions: [GATTServerSession]? = nil, wanted: Int = 1,
        waitsForStalled: Bool = false
    ) -> Int {
        let sessions = sessions ?? clients
        var least = Int.max
        for session in sessions {
            let room = session.room(for: valueHandle)
            if room < wanted { session.bearer.askForRoom() }
            least = min(least, room)
        }
        // The room of a live subscriber is limited.
        guard waitsForStalled, least == .max else { return least }
        for session in sessions {
            guard let room = session.stalledRoom(for: valueHandle) else { continue }
            if room < wanted { session.bearer.askForRoom() }
            least = min(least, room)
        }
        return least
    }

    /// Returns the sessions that have subscribed to a characteristic.
    package func subscribers(of valueHandle: UInt16) -> [GATTServerSession] {
        sessions.filter { !$0.subscription(to: valueHandle).isEmpty }
    }

    func opened(_ session: GATTServerSession) { clients = clients + [session] }

    func closed(_ session: GATTServerSession) { clients = clients.filter { $0 !== session } }
}
