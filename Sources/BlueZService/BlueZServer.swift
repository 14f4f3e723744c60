import BluetoothBackend
import BluetoothRuntime
import SystemBus

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The service on a bus: its objects, and the connection that carries calls and signals. Confined to the loop.
final class BlueZServer {
    static let name = "org.bluez"
    /// The time that an agent has to answer, for which it may ask a person.
    private static let agentTime = Duration.seconds(60)
    /// The time that any other client has: less than that of a transaction of the attribute protocol, 30 s.
    private static let clientTime = Duration.seconds(25)

    private let bus: BusConnection
    private let objects: ServiceObjects
    private let clients: ClientBus
    /// Called when the bus ended the connection.
    var onEnd: ((BusError) -> Void)?

    /// Connects to the bus at `address`.
    /// - Throws: ``BusError`` if there is no bus or no library.
    init(address: String, adapters: [(backend: any RadioBackend, user: RadioUser)], loop: RadioLoop) throws(BusError) {
        let bus = try BusConnection(address: address, loop: loop)
        self.bus = bus
        let clients = ClientBus { [weak bus] client, path, interface, member, arguments, completion in
            bus?.call(
                client, path, interface, member, arguments,
                timeout: interface == "org.bluez.Agent1" ? Self.agentTime : Self.clientTime, completion: completion)
        } match: { [weak bus] rule, isAdded in
            bus?.bus(isAdded ? "AddMatch" : "RemoveMatch", [.string(rule)]) { _ in }
        }
        self.clients = clients
        objects = ServiceObjects(
            adapters: adapters, systemName: Self.systemName, loop: loop, bus: clients
        ) { [weak bus] signal in
            bus?.emit(signal.path, signal.interface, signal.member, signal.arguments)
        }
        bus.onCall = { [weak self] call in
            self?.objects.tree.handle(call)
            return self != nil
        }
        bus.onSignal = { [weak self] in self?.received($0) }
        bus.onClosed = { [weak self] error in self?.closed(error) }
    }

    /// Requests the name of the service; completes when it is served.
    func start(completion: @escaping (Result<Void, BusError>) -> Void) {
        bus.addMatch(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                + "member='NameOwnerChanged',arg2=''")
        bus.requestName(Self.name, completion: completion)
    }

    /// Delivers the signal of a client, or releases what a client held that left the bus.
    private func received(_ signal: BusSignal) {
        guard signal.sender == "org.freedesktop.DBus" else { return clients.received(signal) }
        guard signal.member == "NameOwnerChanged", let client = signal.arguments.first?.text, client.hasPrefix(":")
        else { return }
        objects.clientLeft(client)
    }

    private func closed(_ error: BusError) {
        objects.end()
        onEnd?(error)
        onEnd = nil
    }

    /// Ends the service: links and scans end, and the name is released.
    func stop() {
        objects.end()
        objects.tree.flush()
        bus.close()
    }

    /// The name of this machine, which is that of its adapters.
    private static var systemName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "BlueZ" }
        let name = buffer.prefix { $0 != 0 && $0 != 0x2E }.map { UInt8(bitPattern: $0) }
        return name.isEmpty ? "BlueZ" : String(decoding: name, as: UTF8.self)
    }
}
