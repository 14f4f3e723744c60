import BluetoothBackend
import BluetoothRuntime
import Harald
import SystemBus
import VirtualDevices
import VirtualTransport

@testable import BlueZService

/// The objects of the service on a virtual air, without a bus: a test calls them as clients do, and waits for signals.
final class ServiceBench: Sendable {
    /// The objects and the signals that no test has taken yet. Confined to the loop.
    private final class Core {
        var objects: ServiceObjects?
        var clients: ClientBus?
        var signals: [BusSignal] = []
        var waiting: [(test: (BusSignal) -> Bool, resume: (BusSignal) -> Void)] = []
        /// True after the time of a test: nobody waits any more.
        var isOver = false
        /// The answers of clients to the methods that are called, by their names.
        var answers: [String: Result<[BusValue], BusError>] = [:]
        /// The paths of the objects of clients that do not answer.
        var silent: Set<String> = []

        func emit(_ signal: BusSignal) {
            signals.append(signal)
            let ready = waiting.filter { $0.test(signal) }
            guard !ready.isEmpty else { return }
            waiting.removeAll { $0.test(signal) }
            signals.removeLast()
            for waiter in ready { waiter.resume(signal) }
        }
    }

    static let adapterPath = "/org/bluez/hci0"
    static let client = ":1.1"

    let scene: VirtualScene
    private let central: Central
    private let core: LoopBound<Core>
    private var loop: RadioLoop { core.loop }

    /// Starts a service for an adapter beside the devices of a scene.
    /// - Parameter store: the directory of bonds and of what clients have set.
    init(_ yaml: String, store: String? = nil) async throws {
        scene = try await VirtualScene(try SceneFile(yaml: yaml))
        central = try await Central(
            adapter: scene.radio.adapter(named: "service"),
            options: AdapterOptions(storage: store.map { .directory($0) } ?? .none))
        try await central.waitUntilPoweredOn()
        let (backend, user, loop) = (central.backend, central.user, central.loop)
        core = await loop.run {
            let core = Core()
            // Proof of `unowned`: the core owns the objects, which own the clients.
            let clients = ClientBus { [unowned core] _, path, interface, member, arguments, completion in
                core.emit(BusSignal(path: path, interface: interface, member: member, arguments: arguments))
                if core.silent.contains(path) { return }
                completion?(core.answers[member] ?? .failure(BusError("org.bluez.Error.Rejected")))
            } match: { _, _ in
            }
            core.clients = clients
            core.objects = ServiceObjects(
                adapters: [(backend.value, user.value)], systemName: "bench", loop: loop, bus: clients
            ) { [unowned core] in
                core.emit($0)
            }
            return LoopBound(confined: core, loop: loop)
        }
    }

    func close() async {
        await loop.run { [core] in
            core.value.objects?.end()
            core.value.objects = nil
        }
        await central.close()
        await scene.close()
    }

    /// Runs a test with a bench, which is closed in any case.
    static func with(
        _ yaml: String, store: String? = nil, _ body: (ServiceBench) async throws -> Void
    ) async throws {
        let bench = try await ServiceBench(yaml, store: store)
        do {
            try await body(bench)
            await bench.close()
        } catch {
            await bench.close()
            throw error
        }
    }

    /// Calls a method, given as `org.bluez.Adapter1.StartDiscovery`, and waits for the answer.
    /// - Parameter previous: a method without arguments that is called in the same turn of the loop, before.
    @discardableResult
    func call(
        _ path: String, _ method: String, _ arguments: [BusValue] = [], after previous: String? = nil,
        from client: String = ServiceBench.client
    ) async throws(BusError) -> [BusValue] {
        let result: Result<[BusValue], BusError> = await withCheckedContinuation { continuation in
            loop.execute { [core] in
                func handle(
                    _ method: String, _ arguments: [BusValue],
                    _ answer: @escaping (Result<[BusValue], BusError>) -> Void
                ) {
                    let dot = method.lastIndex(of: ".") ?? method.startIndex
                    core.value.objects?.tree.handle(
                        BusCall(
                            path: path, interface: String(method[..<dot]), member: String(method[dot...].dropFirst()),
                            sender: client, arguments: arguments, respond: answer))
                }
                if let previous { handle(previous, []) { _ in } }
                handle(method, arguments) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    /// Reads a property.
    func get(_ path: String, _ interface: String, _ name: String) async throws(BusError) -> BusValue? {
        try await call(path, "org.freedesktop.DBus.Properties.Get", [.string(interface), .string(name)]).first?
            .unwrapped
    }

    /// Waits for a signal, or a call to a client, of those not yet taken or still to come. Returns an empty signal when
    /// the time of the test is over, which the test records.
    @discardableResult
    func signal(where test: @escaping @Sendable (BusSignal) -> Bool) async -> BusSignal {
        let box: LoopBound<BusSignal> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { [core, loop] in
                    let core = core.value
                    let resume: (BusSignal) -> Void = {
                        continuation.resume(returning: LoopBound(confined: $0, loop: loop))
                    }
                    if let index = core.signals.firstIndex(where: test) {
                        return resume(core.signals.remove(at: index))
                    }
                    if core.isOver { return resume(Self.none) }
                    core.waiting.append((test, resume))
                }
            }
        } onCancel: {
            loop.execute { [core] in
                core.value.isOver = true
                let waiting = core.value.waiting
                core.value.waiting = []
                for waiter in waiting { waiter.resume(Self.none) }
            }
        }
        return await loop.run { [box] in Sent(box.value) }.signal
    }

    private static var none: BusSignal { BusSignal(path: "", interface: "", member: "", arguments: []) }

    /// Waits until a property of an object is announced with a value.
    func change(_ path: String, _ name: String, to value: BusValue) async {
        await signal { $0.path == path && $0.changes[name] == value }
    }

    /// Discovers a device by its name, and returns its path.
    func discover(_ name: String) async throws -> String {
        let adapter = "org.bluez.Adapter1."
        let transport = BusValue.properties(["Transport": .string("le")])
        try await call(Self.adapterPath, adapter + "SetDiscoveryFilter", [transport])
        try await call(Self.adapterPath, adapter + "StartDiscovery")
        let added = await signal { $0.added("org.bluez.Device1")?["Name"] == .string(name) }
        try await call(Self.adapterPath, adapter + "StopDiscovery")
        return added.arguments.first?.text ?? ""
    }

    /// Connects to a device, and returns when its services are resolved.
    func connect(_ path: String) async throws {
        try await call(path, "org.bluez.Device1.Connect")
        await change(path, "ServicesResolved", to: .bool(true))
    }

    /// Returns the path of the attribute with a UUID of 16 bits.
    func attribute(_ uuid: String, _ interface: String, of device: String) async throws -> String {
        let all = try await call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects").first
        guard case .dictionary(let objects, _, _) = all else { return "" }
        let found = objects.first { object in
            object.key.text?.hasPrefix(device + "/") == true
                && object.value.properties?[interface]?.properties?["UUID"]
                    == .string("0000\(uuid)-0000-1000-8000-00805f9b34fb")
        }
        return found?.key.text ?? ""
    }

    func clientLeaves(_ client: String) async {
        await loop.run { [core] in core.value.objects?.clientLeft(client) }
    }

    /// Delivers a signal of a client.
    func receive(
        _ member: String, _ arguments: [BusValue], at path: String = "/", from client: String = ServiceBench.client
    ) async {
        await loop.run { [core] in
            core.value.clients?.received(
                BusSignal(
                    path: path, interface: "org.freedesktop.DBus.ObjectManager", member: member, sender: client,
                    arguments: arguments))
        }
    }

    /// Delivers advertisements to the adapter.
    func hear(_ reports: [ScanReport]) async {
        await loop.run { [core] in
            for report in reports { core.value.objects?.adapters.first?.heard(report) }
        }
    }

    /// From now on the object of a client does not answer.
    func silence(_ path: String) async { await loop.run { [core] in _ = core.value.silent.insert(path) } }

    /// Sets the answer of clients to a method.
    func answer(_ member: String, _ result: Result<[BusValue], BusError>) async {
        await loop.run { [core] in core.value.answers[member] = result }
    }

    /// Proof of `@unchecked Sendable`: a signal contains values, and it is not changed.
    private struct Sent: @unchecked Sendable {
        let signal: BusSignal
        init(_ signal: BusSignal) { self.signal = signal }
    }
}

extension BusSignal {
    /// The properties that the signal announces.
    var changes: [String: BusValue] {
        member == "PropertiesChanged" && arguments.count == 3 ? arguments[1].properties ?? [:] : [:]
    }

    /// The properties that the signal announces as absent.
    var invalidated: [String] { member == "PropertiesChanged" && arguments.count == 3 ? arguments[2].texts ?? [] : [] }

    /// The properties of an interface that the signal adds; nil for another signal.
    func added(_ interface: String) -> [String: BusValue]? {
        member == "InterfacesAdded" ? arguments.last?.properties?[interface]?.properties : nil
    }
}
