import BluetoothModel
import BluetoothRuntime

@testable import BluetoothHost

/// One end of a link without a controller. Its packets are queued in the bench.
final class PairingEnd: SecurityLink {
    let role: LinkRole
    let ownAddress: BluetoothAddress
    let peerAddress: BluetoothAddress
    var ownAirAddress: BluetoothAddress { ownAddress }
    var peerAirAddress: BluetoothAddress { peerAddress }
    private(set) var security = LinkSecurity()
    private(set) var changes: [LinkSecurity] = []
    var isOpen = true
    var dropped = 0
    /// The reason with which this end disconnected the link; nil if it did not.
    private(set) var disconnection: HCIStatus?
    var channel: (any SecurityChannel)?
    private unowned let bench: PairingBench

    init(_ role: LinkRole, own: BluetoothAddress, peer: BluetoothAddress, bench: PairingBench) {
        self.role = role
        ownAddress = own
        peerAddress = peer
        self.bench = bench
    }

    var now: RadioInstant { bench.time.now }
    var timers: TimerQueue { bench.time.timers }

    func change(security: LinkSecurity) {
        guard security != self.security else { return }
        self.security = security
        changes.append(security)
    }

    func send(cid: UInt16, _ payload: ByteView) { bench.sent(payload.array, by: role) }

    func startEncryption(
        key: [UInt8], randomNumber: UInt64, diversifier: UInt16,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        bench.encrypt(key, randomNumber, diversifier, completion)
    }

    func disconnect(reason: HCIStatus) {
        disconnection = reason
        bench.queue.append { [bench] in bench.disconnect(reason) }
    }

    func securityPacketDropped() { dropped += 1 }

    func receive(_ packet: [UInt8]) { packet.withByteView { channel?.receive($0) } }
}

/// Two security managers with their users, and a link between them. The bench simulates the controllers: they encrypt
/// if both have the same key.
final class PairingBench {
    let time = SteppedTime()
    private(set) lazy var central = makeEnd(.central)
    private(set) lazy var peripheral = makeEnd(.peripheral)
    let centralManager: SecurityManager
    let peripheralManager: SecurityManager
    let centralUser = PairingUser()
    let peripheralUser = PairingUser()
    let centralBonds = InMemoryBondStore()
    let peripheralBonds = InMemoryBondStore()
    var queue: [() -> Void] = []
    /// Every packet that arrived, with its sender.
    private(set) var traffic: [(sender: LinkRole, packet: [UInt8])] = []
    /// Replaces a packet in transit; nil leaves packets unchanged.
    var tamper: ((_ sender: LinkRole, _ packet: [UInt8]) -> [[UInt8]])?
    /// The keys with which the link was encrypted.
    private(set) var keysInForce: [[UInt8]] = []
    /// The number of encryption commands to the central's controller.
    private(set) var encryptions = 0
    var link: (central: BluetoothAddress, peripheral: BluetoothAddress)

    init(
        central centralConfiguration: SecurityConfiguration = .init(),
        peripheral peripheralConfiguration: SecurityConfiguration = .init(),
        centralAddress: BluetoothAddress = address(1), peripheralAddress: BluetoothAddress = address(2, kind: .random),
        random: @escaping SecurityRandom.Source = SecurityRandom.system
    ) {
        link = (centralAddress, peripheralAddress)
        centralManager = SecurityManager(centralConfiguration, bonds: centralBonds, random: random)
        peripheralManager = SecurityManager(peripheralConfiguration, bonds: peripheralBonds, random: random)
        centralManager.delegate = centralUser
        peripheralManager.delegate = peripheralUser
        connect()
    }

    private func makeEnd(_ role: LinkRole) -> PairingEnd {
        role == .central
            ? PairingEnd(.central, own: link.central, peer: link.peripheral, bench: self)
            : PairingEnd(.peripheral, own: link.peripheral, peer: link.central, bench: self)
    }

    /// A new link between the two, perhaps with other addresses.
    func connect() {
        central = makeEnd(.central)
        peripheral = makeEnd(.peripheral)
        traffic = []
        keysInForce = []
        central.channel = centralManager.opened(central)
        peripheral.channel = peripheralManager.opened(peripheral)
    }

    func disconnect(_ reason: HCIStatus = .remoteUserTerminated) {
        for end in [central, peripheral] where end.isOpen {
            end.isOpen = false
            end.channel?.linkClosed(.disconnected(reason))
            end.channel = nil
        }
    }

    func end(_ role: LinkRole) -> PairingEnd { role == .central ? central : peripheral }
    func user(_ role: LinkRole) -> PairingUser { role == .central ? centralUser : peripheralUser }
    func manager(_ role: LinkRole) -> SecurityManager { role == .central ? centralManager : peripheralManager }
    func bonds(_ role: LinkRole) -> InMemoryBondStore { role == .central ? centralBonds : peripheralBonds }

    // MARK: The air

    func sent(_ packet: [UInt8], by sender: LinkRole) {
        for packet in tamper?(sender, packet) ?? [packet] {
            queue.append { [unowned self] in deliver(packet, from: sender) }
        }
    }

    func deliver(_ packet: [UInt8], from sender: LinkRole) {
        guard end(sender.opposite).isOpen else { return }
        traffic.append((sender, packet))
        end(sender.opposite).receive(packet)
    }

    func encrypt(
        _ key: [UInt8], _ randomNumber: UInt64, _ diversifier: UInt16,
        _ completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        encryptions += 1
        queue.append { [unowned self] in
            guard central.isOpen else { return completion(.failure(.notConnected)) }
            let other = peripheralManager.longTermKey(
                on: peripheral, randomNumber: randomNumber, diversifier: diversifier)
            guard let other else {
                peripheralManager.encryptionChanged(on: peripheral, .pinOrKeyMissing)
                return completion(.failure(.controller(.pinOrKeyMissing)))
            }
            guard other.littleEndian == key else { return disconnect(.micFailure) }
            keysInForce.append(key)
            for role in [LinkRole.peripheral, .central] {
                let security = manager(role).security(of: end(role), isEncrypted: true, keySize: nil)
                end(role).change(security: security ?? LinkSecurity(level: .encrypted, keySize: 16))
                if role == .central { completion(.success(central.security)) }
                manager(role).encryptionChanged(on: end(role), .success)
            }
        }
    }

    // MARK: Running

    /// Delivers packets until none is left, without answers of the users.
    func carry() {
        while !queue.isEmpty { queue.removeFirst()() }
    }

    /// Delivers all packets; the users answer like an honest person with both devices.
    func run() {
        repeat { carry() } while answer(.central) || answer(.peripheral)
    }

    private func answer(_ role: LinkRole) -> Bool {
        let (user, other) = (user(role), user(role.opposite))
        switch user.pending?.question {
        case nil, .display: return false
        case .confirm: user.answer(.accept)
        // If both enter a number, they agree on one.
        case .enterPasskey: user.answer(.passkey(other.shown ?? 271_828))
        case .compare(let number):
            let isSame = other.questions.last == .compare(number: number)
            user.answer(isSame ? .accept : .refuse)
        case .replaceBond: user.answer(user.replacesBonds ? .accept : .refuse)
        }
        return true
    }

    /// Pairs, begun by one side, and delivers all packets.
    @discardableResult
    func pair(_ role: LinkRole = .central, level: LinkSecurity.Level = .encrypted) -> Outcome<LinkSecurity> {
        let outcome = Outcome<LinkSecurity>()
        manager(role).secure(end(role), to: level) { outcome($0) }
        run()
        return outcome
    }

    /// The codes of the packets that a side sent.
    func codes(_ role: LinkRole) -> [SecurityPacket.Code] {
        traffic.filter { $0.sender == role }.compactMap { SecurityPacket.Code(rawValue: $0.packet.first ?? 0) }
    }

    /// The reasons of all Pairing Failed packets, with their senders.
    var refusals: [(sender: LinkRole, reason: PairingFailureReason)] {
        traffic.compactMap { entry in
            guard entry.packet.count == 2, entry.packet[0] == 5 else { return nil }
            return (entry.sender, PairingFailureReason(rawValue: entry.packet[1]))
        }
    }
}

extension SecurityConfiguration {
    init(
        _ capability: IOCapability, mitm: Bool = true, secureConnections: Bool = true,
        keySizes: ClosedRange<UInt8> = 16...16
    ) {
        self.init()
        self.capability = capability
        wantsMITM = mitm
        offersSecureConnections = secureConnections
        self.keySizes = keySizes
    }
}
