import SystemBus

/// The levels of batteries that clients provide (`org.bluez.BatteryProviderManager1`). Confined to the loop.
final class BatteryProviders {
    private static let interface = "org.bluez.BatteryProvider1"

    private final class Provider {
        let objects: ClientObjects
        /// The batteries of the provider's objects, by path.
        var batteries: [String: BatteryLevel] = [:]

        init(_ objects: ClientObjects) { self.objects = objects }
    }

    private let bus: ClientBus
    weak var adapter: AdapterObject?
    private var providers: [Provider] = []

    init(bus: ClientBus) { self.bus = bus }

    /// Registers the objects of a client at a path, and below it.
    /// - Throws: `InvalidArguments` or `AlreadyExists`.
    func register(_ path: String, of client: String) throws(BusError) {
        guard path.hasPrefix("/") else { throw .invalidArguments }
        if index(path, client) != nil { throw .alreadyExists }
        let provider = Provider(ClientObjects(client: client, root: path, bus: bus))
        providers.append(provider)
        let objects = provider.objects
        objects.onAdded = { [weak self, weak provider] path in
            if let provider { self?.update(path, provider) }
        }
        objects.onChanged = { [weak self, weak provider] path, _, _ in
            if let provider { self?.update(path, provider) }
        }
        objects.onRemoved = { [weak provider] path in
            provider?.batteries.removeValue(forKey: path)?.withdraw(from: path)
        }
        objects.start { _ in }
    }

    /// - Throws: `DoesNotExist`.
    func unregister(_ path: String, of client: String) throws(BusError) {
        guard let index = index(path, client) else { throw .doesNotExist }
        end(providers.remove(at: index))
    }

    /// Removes the providers of a client; of all clients without one.
    func remove(_ client: String? = nil) {
        for provider in providers where client == nil || provider.objects.client == client { end(provider) }
        providers.removeAll { client == nil || $0.objects.client == client }
    }

    private func index(_ path: String, _ client: String) -> Int? {
        providers.firstIndex { $0.objects.root == path && $0.objects.client == client }
    }

    private func end(_ provider: Provider) {
        provider.objects.stop()
        for (path, battery) in provider.batteries { battery.withdraw(from: path) }
    }

    /// Follows an object of a provider that describes a device of the adapter.
    private func update(_ path: String, _ provider: Provider) {
        guard let properties = provider.objects.all[path]?[Self.interface],
            let device = adapter?.devices.values.first(where: { $0.path == properties["Device"]?.text }),
            case .byte(let percentage)? = properties["Percentage"], percentage <= 100,
            device.battery.provide(percentage, source: properties["Source"]?.text ?? "", from: path)
        else { return }
        provider.batteries[path] = device.battery
    }
}

extension Interface {
    /// `org.bluez.BatteryProviderManager1`.
    static let batteryManager: Interface = Interface(
        name: "org.bluez.BatteryProviderManager1",
        methods: [
            Method("RegisterBatteryProvider", in: [.init("provider", "o")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.batteries.register(call.text(0), of: call.sender)
                return .done
            },
            Method("UnregisterBatteryProvider", in: [.init("provider", "o")]) {
                (adapter: AdapterObject, call) throws(BusError) in
                try adapter.batteries.unregister(call.text(0), of: call.sender)
                return .done
            },
        ])
}
