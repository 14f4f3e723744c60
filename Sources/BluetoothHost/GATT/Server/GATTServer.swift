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
    private(set) var table = AttributeTable()
    private var digest: [UInt8]?
    /// The value handle of Service Changed.
    private(set) var serviceChangedHandle: UInt16 = 0
    private var nameHandle: UInt16 = 0

    /// A server with the two services that every device has. Handles in the configuration that collide are ignored.
    public init(_ configuration: GATTServerConfiguration = GATTServerConfiguration()) {
        self.configuration = configuration
        let gap = placeOwn(configuration.gapService)
        nameHandle = gap?.characteristics.first?.valueHandle ?? 0
        let gatt = placeOwn(configuration.gattService)
        serviceChangedHandle = gatt?.characteristics.first?.valueHandle ?? 0
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
        var changed = table
        try changed.insert(placement.group)
        table = changed
        digest = nil
        return placed
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

    /// Whether a notification to any client would go out at once; ``GATTServerDelegate/server(_:isReadyToSendTo:)`` tells
    /// when again.
    public var canNotify: Bool {
        for session in clients where !session.canNotify { return false }
        return true
    }

    /// Who has subscribed to a characteristic.
    public func subscribers(of valueHandle: UInt16) -> [GATTServerSession] {
        sessions.filter { !$0.subscription(to: valueHandle).isEmpty }
    }

    func opened(_ session: GATTServerSession) { clients = clients + [session] }

    func closed(_ session: GATTServerSession) { clients = clients.filter { $0 !== session } }
}
