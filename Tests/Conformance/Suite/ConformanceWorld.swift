import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// An optional feature of a backend that some scenarios require.
package enum ConformanceCapability: String, CaseIterable, Sendable {
    /// The program answers pairing questions.
    case pairingQuestions
    /// The backend reports the security of a link, and refuses one below a user's policy.
    case securityPolicies

    /// The capability of the backend on which it depends.
    package var backendCapability: BackendCapabilities {
        switch self {
        case .pairingQuestions: .pairing
        case .securityPolicies: .securityLevels
        }
    }
}

/// A backend under test.
package protocol ConformanceBackend: Sendable {
    /// The name in messages.
    var name: String { get }
    /// The capabilities that the backend lacks, with the reason. Scenarios that need one are excluded.
    var lacks: [ConformanceCapability: String] { get }
    /// Opens the backend, powered on, with its peer in range.
    func makeWorld() async throws -> any ConformanceWorld
}

extension ConformanceBackend {
    /// The scenarios that this backend must pass.
    package var scenarios: [Scenario] { Scenario.all.filter { $0.needs.allSatisfy { lacks[$0] == nil } } }
    /// The fraction of all scenarios that is excluded, 0 to 1.
    package var excludedPart: Double {
        Double(Scenario.all.count - scenarios.count) / Double(Scenario.all.count)
    }

    /// Checks the declaration of missing capabilities: it must match the capabilities of the backend, and exclude at
    /// most the fraction `limit` of the scenarios.
    /// - Returns: The violations.
    package func problemsOfExclusions(limit: Double) async throws -> [String] {
        let world = try await makeWorld()
        let capabilities = await world.radio.loop.run { [radio = world.radio] in radio.value.capabilities }
        await world.close()
        var problems: [String] = []
        for capability in ConformanceCapability.allCases {
            let isMissing = !capabilities.contains(capability.backendCapability)
            if isMissing != (lacks[capability] != nil) {
                problems.append("\(name) \(isMissing ? "lacks" : "has") \(capability), and declares the opposite")
            }
        }
        if excludedPart > limit {
            problems.append("\(name) is excluded from \(excludedPart) of the scenarios, at most \(limit) are allowed")
        }
        return problems
    }
}

/// An open backend with one peer.
package protocol ConformanceWorld: Sendable {
    /// The backend under test.
    var radio: LoopBound<any RadioBackend> { get }
    /// The peer, which a scenario scripts.
    var peer: any ConformancePeer { get }
    /// The backend's identifier of the peer.
    var peerID: PeripheralID { get }
    /// Switches the adapter off or on, as a person would; returns when the change has begun.
    func setPowered(_ isOn: Bool) async
    /// Releases the resources that the backend's `close` does not release.
    func shutDown() async
}

extension ConformanceWorld {
    /// Closes the backend and releases all resources.
    func close() async {
        let bench = Bench(self)
        await bench.abandon()
        await shutDown()
    }
}

/// The device that the backend connects to. It has the services ``PeerAttribute/service`` with one characteristic for
/// each ``PeerAttribute``.
package protocol ConformancePeer: Sendable {
    /// The events of the peer, in their order.
    var events: Events<PeerEvent> { get }
    /// Makes the peer accept connections, or not. Initially it accepts them.
    func setReachable(_ isReachable: Bool) async
    /// Makes the next `count` connections fail to be established (0x3E).
    func failEstablishments(_ count: Int) async
    /// Makes the peer send at least one more advertisement.
    func advertise() async
    /// Ends the link.
    func disconnect() async
    /// Sends values to the subscriber of a characteristic, one after the other.
    func send(_ values: [[UInt8]], on attribute: PeerAttribute) async
    /// Answers the pending reads of ``PeerAttribute/held``.
    func answerHeldReads() async
    /// Sends this value as soon as the subscription to ``PeerAttribute/notifying`` is requested.
    func greetSubscriber(with value: [UInt8]) async
}

/// An event at the peer.
package enum PeerEvent: Hashable, Sendable {
    case connected, disconnected
    case subscribed(PeerAttribute), unsubscribed(PeerAttribute)
    /// A whole value was written.
    case wrote(PeerAttribute, [UInt8])
    /// A read of ``PeerAttribute/held`` arrived.
    case asked
}

/// The characteristics of the peer.
package enum PeerAttribute: UInt16, CaseIterable, Hashable, Sendable {
    /// Short, readable and writable; initially [1, 2, 3].
    case plain = 0xFC01
    /// Readable and writable; initially ``longValue``.
    case long
    /// Readable; answered with [4] on demand of the scenario.
    case held
    /// Writable without response.
    case command
    /// Sends notifications.
    case notifying
    /// Sends notifications.
    case alsoNotifying
    /// Sends indications.
    case indicating
    /// Readable and writable; answers with ``refusal``.
    case refusing
    /// Readable after pairing; [5].
    case secret

    /// The service with these characteristics.
    package static let service = BluetoothUUID(0xFC00)
    /// A second service, with no characteristics.
    package static let emptyService = BluetoothUUID(0xFCFF)
    /// 512 bytes.
    package static let longValue = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
    /// The answer of ``refusing``.
    package static let refusal = ATTErrorCode(rawValue: 0x80)

    package var uuid: BluetoothUUID { BluetoothUUID(rawValue) }

    package var properties: CharacteristicProperties {
        switch self {
        case .plain, .long, .refusing: [.read, .write]
        case .held, .secret: .read
        case .command: .writeWithoutResponse
        case .notifying, .alsoNotifying: .notify
        case .indicating: .indicate
        }
    }

    /// The initial value; nil if the peer answers each read on demand.
    package var value: [UInt8]? {
        switch self {
        case .plain: [1, 2, 3]
        case .long: Self.longValue
        case .secret: [5]
        case .held, .refusing, .command, .notifying, .alsoNotifying, .indicating: nil
        }
    }
}
