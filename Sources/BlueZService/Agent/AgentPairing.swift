import BluetoothBackend
import BluetoothModel
import SystemBus

/// Answers the pairing questions of an adapter with the agents of clients. Confined to the loop.
final class AgentPairing: PairingHandler {
    /// Calls a method of an agent; completes with its answer, which is not requested without a completion.
    typealias CallAgent = (
        _ agent: AgentRegistry.Agent, _ member: String, _ arguments: [BusValue],
        _ completion: ((Result<[BusValue], BusError>) -> Void)?
    ) -> Void

    private let agents: AgentRegistry
    private let callAgent: CallAgent
    weak var adapter: AdapterObject?
    /// The clients that pair, whose agents are asked.
    private var clients: [PeripheralID: String] = [:]
    /// The agents that were asked, and may have to be told that it is over.
    private var asked: [PeripheralID: AgentRegistry.Agent] = [:]
    /// The client whose pairing begins, and decides about the capability.
    private var current: String?

    init(agents: AgentRegistry, callAgent: @escaping CallAgent) {
        self.agents = agents
        self.callAgent = callAgent
    }

    /// True if somebody can be asked.
    var hasAgent: Bool { !agents.isEmpty }

    /// Notes that a client pairs with a device.
    func begin(_ peripheral: PeripheralID, for client: String) {
        clients[peripheral] = client
        current = client
    }

    /// Notes that the pairing of a client ended.
    func end(_ peripheral: PeripheralID) {
        if clients.removeValue(forKey: peripheral) == current { current = nil }
        asked[peripheral] = nil
    }

    /// Tells the agent that was asked that its client has cancelled the pairing.
    func cancel(_ peripheral: PeripheralID) { pairingQuestionWithdrawn(with: peripheral) }

    var capability: PairingCapability { agents.agent(for: current)?.capability ?? .noInputNoOutput }
    var passkey: UInt32? { nil }
    var decidesAlone: Bool { agents.agent(for: nil) == nil }

    func pairing(
        with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
    ) {
        let device = adapter?.devices[peripheral]
        // The initiator of a pairing without numbers is not asked.
        if question == .confirm, device?.link != nil { return answer(.accept) }
        guard let device, let agent = agents.agent(for: clients[peripheral]) else { return answer(.refuse) }
        asked[peripheral] = agent
        let path = BusValue.path(device.path)
        let confirm: (Result<[BusValue], BusError>) -> Void = { result in
            answer((try? result.get()) == nil ? .refuse : .accept)
        }
        switch question {
        case .confirm: callAgent(agent, "RequestAuthorization", [path], confirm)
        case .compare(let number): callAgent(agent, "RequestConfirmation", [path, .uint32(number)], confirm)
        case .display(let passkey):
            callAgent(agent, "DisplayPasskey", [path, .uint32(passkey), .uint16(0)], nil)
            answer(.accept)
        case .enterPasskey:
            callAgent(agent, "RequestPasskey", [path]) { result in
                guard let number = (try? result.get())?.first?.integer, (0...999_999).contains(number) else {
                    return answer(.refuse)
                }
                answer(.passkey(UInt32(number)))
            }
        }
    }

    func pairingQuestionWithdrawn(with peripheral: PeripheralID) {
        guard let agent = asked.removeValue(forKey: peripheral) else { return }
        callAgent(agent, "Cancel", [], nil)
    }
}
