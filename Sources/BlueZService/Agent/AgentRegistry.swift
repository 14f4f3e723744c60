import BluetoothBackend
import BluetoothModel
import SystemBus

/// The agents of clients, which answer pairing questions (`org.bluez.AgentManager1`). Each client has one agent.
/// Confined to the loop.
final class AgentRegistry {
    struct Agent: Hashable {
        let client: String
        let path: String
        let capability: PairingCapability
    }

    /// The agents; the first one is the default.
    private var agents: [Agent] = []
    /// True if there is an agent.
    var isEmpty: Bool { agents.isEmpty }
    /// Called after an agent was registered or removed, and its client has the answer.
    var onChange: (() -> Void)?

    /// Registers the agent of a client.
    /// - Throws: `AlreadyExists` if it has one, `InvalidArguments` for an unknown capability.
    func register(_ path: String, _ capability: String, of client: String) throws(BusError) {
        if agents.contains(where: { $0.client == client }) { throw .alreadyExists }
        guard let capability = PairingCapability(bluez: capability) else { throw .invalidArguments }
        agents.append(Agent(client: client, path: path, capability: capability))
    }

    /// Removes the agent of a client.
    /// - Throws: `DoesNotExist` if it has no agent at that path.
    func unregister(_ path: String, of client: String) throws(BusError) {
        agents.remove(at: try index(of: path, client))
    }

    /// Makes the agent of a client the default one.
    /// - Throws: `DoesNotExist` if it has no agent at that path.
    func makeDefault(_ path: String, of client: String) throws(BusError) {
        let index = try index(of: path, client)
        agents = [agents[index]] + agents[..<index] + agents[(index + 1)...]
    }

    private func index(of path: String, _ client: String) throws(BusError) -> Int {
        guard let index = agents.firstIndex(where: { $0.client == client && $0.path == path }) else {
            throw .doesNotExist
        }
        return index
    }

    /// Removes the agent of a client that left the bus.
    func remove(_ client: String) {
        if agents.contains(where: { $0.client == client }) { agents.removeAll { $0.client == client } }
    }

    /// Returns the agent of a client or, without one, the default agent; nil without any agent.
    func agent(for client: String?) -> Agent? { agents.first { $0.client == client } ?? agents.first }
}

extension PairingCapability {
    /// Creates a capability from its name in BlueZ's API; the empty name is `KeyboardDisplay`.
    fileprivate init?(bluez name: String) {
        switch name {
        case "", "KeyboardDisplay": self = .keyboardDisplay
        case "DisplayOnly": self = .displayOnly
        case "DisplayYesNo": self = .displayYesNo
        case "KeyboardOnly": self = .keyboardOnly
        case "NoInputNoOutput": self = .noInputNoOutput
        default: return nil
        }
    }
}

/// The object of the service itself, `/org/bluez`.
final class ManagerObject: ExportedObject {
    let agents: AgentRegistry

    init(agents: AgentRegistry) {
        self.agents = agents
        super.init(path: "/org/bluez")
    }

    override var interfaces: [Interface] { [.agentManager] }

    override func clientLeft(_ client: String) {
        agents.remove(client)
        agents.onChange?()
    }

    /// Answers a call that has changed the agents.
    fileprivate func changed(_ call: BusCall) -> Interface.Reply {
        call.respond(.success([]))
        agents.onChange?()
        return .later
    }
}

extension Interface {
    /// `org.bluez.AgentManager1`.
    static let agentManager: Interface = Interface(
        name: "org.bluez.AgentManager1",
        methods: [
            Method("RegisterAgent", in: [.init("agent", "o"), .init("capability", "s")]) {
                (manager: ManagerObject, call) throws(BusError) in
                try manager.agents.register(call.text(0), call.text(1), of: call.sender)
                return manager.changed(call)
            },
            Method("UnregisterAgent", in: [.init("agent", "o")]) { (manager: ManagerObject, call) throws(BusError) in
                try manager.agents.unregister(call.text(0), of: call.sender)
                return manager.changed(call)
            },
            Method("RequestDefaultAgent", in: [.init("agent", "o")]) {
                (manager: ManagerObject, call) throws(BusError) in
                try manager.agents.makeDefault(call.text(0), of: call.sender)
                return .done
            },
        ])
}
