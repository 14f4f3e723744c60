import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// The advertisements of clients, which are on the air in turn (`org.bluez.LEAdvertisingManager1`). Confined to the
/// loop.
///
/// A state machine: ``start`` and ``stop`` are its output to the radio.
final class Advertisements {
    /// The number of advertisements at a time, as with a controller that has one set.
    static let maximum = 5
    /// The time of each of several advertisements that has no `Duration`.
    private static let turn = Duration.seconds(2)

    private final class Entry {
        let objects: ClientObjects
        /// nil until the client has described it.
        var definition: AdvertisementDefinition?
        /// True until the end of `DiscoverableTimeout`; nil without one.
        var isLimited: Bool?
        var timers: [QueuedTimer] = []
        /// True once the client was told that it is registered.
        var isRegistered = false

        init(_ objects: ClientObjects) { self.objects = objects }
    }

    private let bus: ClientBus
    private let loop: RadioLoop
    private var entries: [Entry] = []
    /// The one that is on the air.
    private var current: Entry?
    private lazy var turnTimer = loop.makeTimer { [weak self] in self?.next() }

    /// Advertises; a further call replaces what is advertised.
    var start: ((AdvertisingRequest, _ completion: @escaping (Result<Void, RadioError>) -> Void) -> Void)?
    var stop: (() -> Void)?
    /// The name of the adapter, and whether it is discoverable.
    var adapter: () -> (name: String, isDiscoverable: Bool) = { ("", false) }
    /// Called when their number changed.
    var onChange: (() -> Void)?

    init(bus: ClientBus, loop: RadioLoop) {
        self.bus = bus
        self.loop = loop
    }

    var count: Int { entries.count }

    /// Registers the advertisement at a path of a client; completes when it is on the air.
    /// - Throws: `AlreadyExists` if the path is registered, `NotPermitted` if there are too many.
    func register(
        _ path: String, of client: String, completion: @escaping (Result<Void, BusError>) -> Void
    ) throws(BusError) {
        if index(of: path, client) != nil { throw .alreadyExists }
        if entries.count >= Self.maximum { throw .notPermitted("Maximum advertisements reached") }
        let entry = Entry(ClientObjects(client: client, root: path, bus: bus))
        entries.append(entry)
        entry.objects.onChanged = { [weak self, weak entry] path, interface, _ in
            guard let self, let entry, path == entry.objects.root,
                interface == AdvertisementDefinition.interface, entry.definition != nil
            else { return }
            changed(entry)
        }
        entry.objects.start(AdvertisementDefinition.interface) { [weak self] result in
            guard let self, entries.contains(where: { $0 === entry }) else {
                return completion(.failure(.failed("Failed to complete registration")))
            }
            described(entry, result, completion)
        }
    }

    private func described(
        _ entry: Entry, _ result: Result<Void, BusError>, _ completion: @escaping (Result<Void, BusError>) -> Void
    ) {
        do throws(BusError) {
            guard case .success = result else { throw .failed("Failed to complete registration") }
            entry.definition = try AdvertisementDefinition(entry.objects.properties(AdvertisementDefinition.interface))
        } catch {
            remove(entry)
            return completion(.failure(error))
        }
        armTimeouts(of: entry)
        advertise(entry) { [weak self] result in
            switch result {
            // The radio is off; or another advertisement has its turn already.
            case .success, .failure(.radio), .failure(.cancelled):
                entry.isRegistered = true
                self?.onChange?()
                completion(.success(()))
            case .failure:
                self?.remove(entry)
                completion(.failure(.failed("Failed to register advertisement")))
            }
        }
    }

    /// Ends an advertisement at the request of its client.
    /// - Throws: `DoesNotExist` if the path is not registered.
    func unregister(_ path: String, of client: String) throws(BusError) {
        guard let index = index(of: path, client) else { throw .doesNotExist }
        remove(entries[index])
    }

    private func index(of path: String, _ client: String) -> Int? {
        entries.firstIndex { $0.objects.client == client && $0.objects.root == path }
    }

    /// Removes the advertisements of a client that left the bus.
    func remove(_ client: String) {
        for entry in entries where entry.objects.client == client { remove(entry) }
    }

    /// Ends all, and tells the clients.
    func releaseAll() { for entry in entries { release(entry) } }

    private func release(_ entry: Entry) {
        entry.objects.call(entry.objects.root, AdvertisementDefinition.interface, "Release")
        remove(entry)
    }

    private func remove(_ entry: Entry) {
        guard let index = entries.firstIndex(where: { $0 === entry }) else { return }
        entries.remove(at: index)
        entry.objects.stop()
        for timer in entry.timers { timer.disarm() }
        if current === entry { next() } else { armTurn() }
        if entry.isRegistered { onChange?() }
    }

    // MARK: On the air

    /// Advertises the current one again, because the adapter has changed or is ready again.
    func refresh() { if let current { advertise(current) { _ in } } else { next() } }

    private func changed(_ entry: Entry) {
        // A change that cannot be read has no effect.
        guard let definition = try? AdvertisementDefinition(entry.objects.properties(AdvertisementDefinition.interface))
        else { return }
        entry.definition = definition
        armTimeouts(of: entry)
        if current === entry { advertise(entry) { _ in } }
    }

    private func armTimeouts(of entry: Entry) {
        for timer in entry.timers { timer.disarm() }
        entry.timers = []
        entry.isLimited = entry.definition?.discoverableTimeout.map { _ in true }
        arm(entry, entry.definition?.timeout) { $0.release($1) }
        arm(entry, entry.definition?.discoverableTimeout) { advertisements, entry in
            entry.isLimited = false
            if advertisements.current === entry { advertisements.refresh() }
        }
    }

    private func arm(_ entry: Entry, _ time: Duration?, _ body: @escaping (Advertisements, Entry) -> Void) {
        guard let time else { return }
        let timer = loop.makeTimer { [weak self, weak entry] in
            if let self, let entry { body(self, entry) }
        }
        timer.arm(at: loop.now + time)
        entry.timers.append(timer)
    }

    private func advertise(_ entry: Entry, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard let definition = entry.definition else { return }
        current = entry
        armTurn()
        let adapter = adapter()
        let request = definition.request(
            name: adapter.name, adapterIsDiscoverable: adapter.isDiscoverable, isLimited: entry.isLimited)
        start?(request, completion)
    }

    /// Gives the turn to the next one; the radio stops without one.
    private func next() {
        let ready = entries.filter { $0.definition != nil }
        let index = ready.firstIndex { $0 === current }.map { $0 + 1 } ?? 0
        guard let entry = index < ready.count ? ready[index] : ready.first else {
            if current != nil { stop?() }
            current = nil
            return turnTimer.disarm()
        }
        advertise(entry) { _ in }
    }

    private func armTurn() {
        guard let current, entries.count(where: { $0.definition != nil }) > 1 else { return turnTimer.disarm() }
        turnTimer.arm(at: loop.now + (current.definition?.duration ?? Self.turn))
    }
}

extension Interface {
    /// `org.bluez.LEAdvertisingManager1`.
    static let advertisingManager: Interface = Interface(
        name: "org.bluez.LEAdvertisingManager1",
        properties: [
            Property("ActiveInstances", "y") { (adapter: AdapterObject) in
                .byte(UInt8(clamping: adapter.role.advertisements.count))
            },
            Property("SupportedInstances", "y") { (adapter: AdapterObject) in
                .byte(UInt8(clamping: Advertisements.maximum - adapter.role.advertisements.count))
            },
            Property("SupportedIncludes", "as") { (_: AdapterObject) in .strings(AdvertisementDefinition.includes) },
            Property("SupportedFeatures", "as") { (_: AdapterObject) in .strings([]) },
            Property("SupportedCapabilities", "a{sv}") { (_: AdapterObject) in
                .properties(["MaxAdvLen": .byte(31), "MaxScnRspLen": .byte(31)])
            },
        ],
        methods: [
            Method("RegisterAdvertisement", in: [.init("advertisement", "o"), .init("options", "a{sv}")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.role.advertisements.register(call.text(0), of: call.sender) {
                    call.respond($0.map { [] })
                }
                return .later
            },
            Method("UnregisterAdvertisement", in: [.init("service", "o")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.role.advertisements.unregister(call.text(0), of: call.sender)
                return .done
            },
        ])
}
