import BluetoothBackend
import BluetoothRuntime
import SystemBus

/// The objects of the service: calls and events of adapters in, answers, signals and calls to clients out. Confined to
/// the loop.
final class ServiceObjects {
    let tree: ObjectTree
    let adapters: [AdapterObject]

    /// - Parameters:
    ///   - systemName: the name of the machine, which is that of its adapters.
    ///   - bus: the clients.
    ///   - emit: sends a signal.
    init(
        adapters: [(backend: any RadioBackend, user: RadioUser)], systemName: String, loop: RadioLoop,
        bus: ClientBus,
        emit: @escaping (BusSignal) -> Void
    ) {
        var flush: () -> Void = {}
        let tree = ObjectTree(emit: emit) { loop.executeNext { flush() } }
        flush = { [weak tree] in tree?.flush() }
        self.tree = tree
        let agents = AgentRegistry()
        self.adapters = adapters.enumerated().map { index, adapter in
            let pairing = AgentPairing(agents: agents) { agent, member, arguments, completion in
                bus.call(agent.client, agent.path, "org.bluez.Agent1", member, arguments, completion)
            }
            return AdapterObject(
                index: index, backend: adapter.backend, user: adapter.user, pairing: pairing, bus: bus,
                systemName: systemName)
        }
        agents.onChange = { [weak self] in
            for adapter in self?.adapters ?? [] { adapter.agentsChanged() }
        }
        tree.add(RootObject())
        tree.add(ManagerObject(agents: agents))
        for adapter in self.adapters {
            tree.add(adapter)
            adapter.addStoredDevices()
        }
    }

    /// Releases what a client held that left the bus.
    func clientLeft(_ client: String) { for object in tree.objects.values { object.clientLeft(client) } }

    /// Ends links and scans.
    func end() { for adapter in adapters { adapter.end() } }
}
