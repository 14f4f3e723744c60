import SystemBus

/// The bus as objects of the service see it: calls to clients, and their signals. Confined to the loop.
final class ClientBus {
    /// Calls a method of a client's object; completes with its answer, which is not requested without a completion.
    typealias Call = (
        _ client: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
        _ completion: ((Result<[BusValue], BusError>) -> Void)?
    ) -> Void

    let call: Call
    /// Adds or removes a match rule.
    private let match: (_ rule: String, _ isAdded: Bool) -> Void
    private var watched: [ClientObjects] = []

    init(call: @escaping Call, match: @escaping (_ rule: String, _ isAdded: Bool) -> Void) {
        self.call = call
        self.match = match
    }

    /// Delivers the signals of the client to `objects` from now on.
    func watch(_ objects: ClientObjects) {
        // The bus limits the rules of all clients together, so that each client has one.
        if !isWatched(objects.client) { match(Self.rule(objects.client), true) }
        watched.append(objects)
    }

    /// Ends that.
    func unwatch(_ objects: ClientObjects) {
        guard let index = watched.firstIndex(where: { $0 === objects }) else { return }
        watched.remove(at: index)
        if !isWatched(objects.client) { match(Self.rule(objects.client), false) }
    }

    private func isWatched(_ client: String) -> Bool { watched.contains { $0.client == client } }

    private static func rule(_ client: String) -> String { "type='signal',sender='\(client)'" }

    func received(_ signal: BusSignal) {
        for objects in watched where objects.client == signal.sender { objects.received(signal) }
    }
}

/// The objects that a client exports at a path and below it. Confined to the loop.
final class ClientObjects {
    typealias Interfaces = [String: [String: BusValue]]

    let client: String
    let root: String
    private let bus: ClientBus
    private(set) var all: [String: Interfaces] = [:]
    /// Called when an object was added, and when one was removed.
    var onAdded: ((_ path: String) -> Void)?
    var onRemoved: ((_ path: String) -> Void)?
    /// Called when properties of an interface changed.
    var onChanged: ((_ path: String, _ interface: String, _ properties: [String: BusValue]) -> Void)?

    init(client: String, root: String, bus: ClientBus) {
        self.client = client
        self.root = root
        self.bus = bus
    }

    /// Reads the objects; completes with an error if the client exports none.
    func start(completion: @escaping (Result<Void, BusError>) -> Void) {
        bus.watch(self)
        call(root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects") { [weak self] result in
            if case .success(let values) = result, case .dictionary(let objects, _, _)? = values.first {
                for (path, interfaces) in objects { self?.add(path.text ?? "", interfaces) }
            }
            completion(result.map { _ in })
        }
    }

    /// Reads one interface of the object at the root, for a client without an object manager.
    func start(_ interface: String, completion: @escaping (Result<Void, BusError>) -> Void) {
        bus.watch(self)
        call(root, "org.freedesktop.DBus.Properties", "GetAll", [.string(interface)]) { [weak self] result in
            if let self, case .success(let values) = result, let properties = values.first?.properties {
                all[root, default: [:]][interface] = properties
            }
            completion(result.map { _ in })
        }
    }

    /// The properties of an interface of the object at the root.
    func properties(_ interface: String) -> [String: BusValue] { all[root]?[interface] ?? [:] }

    func stop() { bus.unwatch(self) }

    /// Calls a method of one of the objects.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        completion: ((Result<[BusValue], BusError>) -> Void)? = nil
    ) {
        bus.call(client, path, interface, member, arguments, completion)
    }

    private func add(_ path: String, _ interfaces: BusValue) {
        guard path == root || path.hasPrefix(root == "/" ? root : root + "/") else { return }
        let found = (interfaces.properties ?? [:]).mapValues { $0.properties ?? [:] }
        all[path, default: [:]].merge(found) { $1 }
        onAdded?(path)
    }

    fileprivate func received(_ signal: BusSignal) {
        let arguments = signal.arguments
        switch (signal.member, arguments.count) {
        case ("InterfacesAdded", 2): add(arguments[0].text ?? "", arguments[1])
        case ("InterfacesRemoved", 2):
            let path = arguments[0].text ?? ""
            if all.removeValue(forKey: path) != nil { onRemoved?(path) }
        case ("PropertiesChanged", 3):
            guard let interface = arguments[0].text, all[signal.path]?[interface] != nil else { return }
            let changes = arguments[1].properties ?? [:]
            all[signal.path]?[interface]?.merge(changes) { $1 }
            onChanged?(signal.path, interface, changes)
        default: break
        }
    }
}
