import BluetoothHost
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport
import HostBackend
import VirtualBluetooth
import VirtualTransport

/// A device of a test: its advertising, its server, and other behaviour.
struct RawDefinition: Sendable {
    var advertisement: [UInt8] = [2, 1, 6, 5, 9, 0x54, 0x65, 0x73, 0x74]
    var response: [UInt8] = []
    var address = BluetoothAddress(value: 0xC012_3456_789A, kind: .random)
    var isConnectable = true
    /// The advertising interval in units of 0.625 ms.
    var interval: UInt16 = 32
    var server = RawServer(RawDefinition.services)
    /// Changes the answer of the server to a packet. The packets that are returned are sent in order.
    var answer: @Sendable (_ pdu: [UInt8], _ right: [UInt8]?, _ server: inout RawServer) -> [[UInt8]] = { _, right, _ in
        right.map { [$0] } ?? []
    }
    /// The answers to a signalling packet; nil for those of the library.
    var signal: (@Sendable (_ packet: [UInt8]) -> [[UInt8]])?
    /// The answers to a packet of the security manager protocol; nil for those of the library.
    var security: (@Sendable (_ packet: [UInt8]) -> [[UInt8]])?
    /// Packets of the attribute protocol, and of signalling, that are sent at the beginning of each link.
    var greeting: [[UInt8]] = []
    var signalGreeting: [[UInt8]] = []
    /// True to end the link when this packet arrives.
    var endsLink: @Sendable (_ pdu: [UInt8]) -> Bool = { _ in false }
    /// True if the server forgets subscriptions at the end of a link.
    var forgets = true
    /// The pairing of the device by the library; nil for none.
    var pairing: SecurityConfiguration?
    var forgetsBonds = false
    /// True to lose the bonds when this packet of the security manager protocol arrives on a link that is not
    /// encrypted.
    var losesBond: @Sendable (_ packet: [UInt8]) -> Bool = { _ in false }
    /// The passkey that the device shows in each pairing; nil for a random one.
    var passkey: UInt32?
    /// True to remember the links' security: the first of these handles are refused without encryption.
    var isLinkAware: @Sendable (inout RawServer, LinkSecurity) -> Void = { _, _ in }
    /// True to advertise with a resolvable private address.
    var isPrivate = false
    /// True to answer frames on channels that do not exist, on the channel of the attribute protocol.
    var answersUnknownChannels = false
    /// True to end the link when this signalling packet arrives.
    var endsLinkOnSignal: @Sendable (_ packet: [UInt8]) -> Bool = { _ in false }
    /// True to answer each request with the answer to the one before, once two were sent at once.
    var delaysAnswers = false
    /// True if all clients share the Client Characteristic Configurations.
    var sharesState = false

    static let generic: [RawService] = [
        RawService(uuid: 0x1800, characteristics: [c(0x2A00, 2, Array("Test".utf8)), c(0x2A01, 2, [0x41, 0x03])]),
        RawService(uuid: 0x1801, characteristics: [c(0x2A05, 0x20, [])]),
    ]

    /// The services of a device with characteristics of all kinds.
    static let services: [RawService] =
        generic + [
            RawService(
                uuid: 0x180A,
                characteristics: [
                    c(0x2A29, 2, Array("The Harald project".utf8)),
                    c(0x2A24, 2, Array("A model number of 33 octets, no less".utf8)),
                ]),
            RawService(
                uuid: 0x180D,
                characteristics: [c(0x2A37, 0x10, []), c(0x2A38, 2, [1]), c(0x2A39, 8, [])]),
            RawService(uuid: 0x180F, characteristics: [c(0x2A19, 0x12, [80])]),
            RawService(
                uuid: 0xFFF0,
                characteristics: [
                    c(0xFFF1, 0x0A, [1, 2, 3, 4]), c(0xFFF2, 0x02, [9], security: 0x05),
                    c(0xFFF3, 0x12, [7], security: 0x05), c(0xFFF4, 0x20, [3]), c(0xFFF5, 0x0A, [1], security: 0x05),
                    c("12345678-0000-1000-2000-123456789ABC", 0x02, [5]),
                ]),
        ]
}

/// A running ``RawDefinition`` on a virtual radio. Confined to the loop of the radio.
final class RawDevice: LEHostDelegate, HCIChannelDelegate, SecurityManagerDelegate {
    private let definition: RawDefinition
    private let loop: RadioLoop
    private let channel: InProcessChannel
    private let host: LEHost
    private let bonds = InMemoryBondStore()
    private var set: AdvertisingSet?
    private var links: [ObjectIdentifier: RawServer] = [:]
    private var shared: RawServer
    private lazy var timer = loop.makeTimer { [weak self] in self?.advance() }
    private var repeated: [[UInt8]] = []
    private(set) var failure: String?

    init(_ definition: RawDefinition, on radio: VirtualRadio) {
        self.definition = definition
        loop = radio.loop
        shared = definition.server
        let controller = radio.air.value.makeController(VirtualControllerConfiguration(address: nil))
        let channel = InProcessChannel(controller: controller, name: "raw device")
        self.channel = channel
        var configuration = HostConfiguration()
        configuration.ownAddress = .staticRandom(BluetoothAddress(value: 0xF000_0000_0001, kind: .random))
        host = LEHost(configuration: configuration) { channel.send($0) }
        if let pairing = definition.pairing { host.useSecurity(pairing, bonds: bonds).delegate = self }
    }

    func start() {
        if definition.address.randomKind == .nonResolvablePrivate { return startBeacon() }
        channel.delegate = self
        host.delegate = self
        host.timers.onEarlierDeadline = { [weak self] in self?.arm() }
        host.start(now: loop.now)
    }

    /// Advertises with an address that hosts do not use, by the commands of the controller.
    private func startBeacon() {
        var address = ByteWriter(capacity: 8)
        definition.address.write(to: &address)
        let data = definition.advertisement
        let commands: [(UInt16, [UInt8])] = [
            (0x0C03, []), (0x2005, address.bytes),
            (0x2006, [32, 0, 32, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0]),
            (0x2008, [UInt8(data.count)] + data + [UInt8](repeating: 0, count: 31 - data.count)), (0x200A, [1]),
        ]
        for (opcode, parameters) in commands {
            ([0x01] + le(opcode) + [UInt8(parameters.count)] + parameters).withByteView { channel.send($0) }
        }
    }

    func stop() {
        host.stop(now: loop.now)
        channel.delegate = nil
        channel.close()
    }

    private func arm() { if let deadline = host.nextDeadline { timer.arm(at: deadline) } }
    private func advance() {
        host.advance(to: loop.now)
        arm()
    }

    func channel(_ channel: any HCIChannel, received packet: ByteView) { host.receive(packet, now: loop.now) }
    func channel(_ channel: any HCIChannel, closed error: TransportError?) {}

    func host(_ host: LEHost, changed state: HostState) {
        guard case .ready = state else { return }
        do {
            var privacy: LocalIdentity.Privacy?
            if definition.isPrivate, let key = SecurityKey(octets: Array(1...16)) {
                privacy = LocalIdentity.Privacy(key: key, each: .seconds(900))
            }
            let set = try host.makeAdvertiser(
                LocalIdentity(address: .staticRandom(definition.address), privacy: privacy, server: nil))
            set.onTerminated = { [weak self] _ in self?.advertise() }
            self.set = set
            advertise()
        } catch { failure = "\(error)" }
    }

    private func advertise() {
        let parameters = AdvertisingParameters(
            intervalRange: definition.interval...definition.interval, isConnectable: definition.isConnectable)
        set?.start(parameters: parameters, data: definition.advertisement, scanResponse: definition.response) {
            [weak self] in if case .failure(let error) = $0 { self?.failure = "\(error)" }
        }
    }

    func host(_ host: LEHost, connected link: LELink) {
        var server = definition.sharesState || !definition.forgets ? shared : definition.server
        server.mtu = 23
        server.queue = definition.sharesState || !definition.forgets ? shared.queue : []
        links[ObjectIdentifier(link)] = server
        link.l2cap.tap = { [weak self, weak link] cid, payload in
            guard let self, let link else { return false }
            return received(cid, payload.array, link)
        }
        for packet in definition.greeting { packet.withByteView { link.send(cid: 4, $0) } }
        for packet in definition.signalGreeting { packet.withByteView { link.send(cid: 5, $0) } }
    }

    func host(_ host: LEHost, disconnected link: LELink, reason: HCIStatus) {
        links[ObjectIdentifier(link)] = nil
        if definition.forgetsBonds { for bond in bonds.bonds { host.securityManager?.forget(bond) } }
    }

    private func received(_ cid: UInt16, _ packet: [UInt8], _ link: LELink) -> Bool {
        switch cid {
        case 4:
            if definition.endsLink(packet) {
                link.disconnect()
                return true
            }
            guard var server = links[ObjectIdentifier(link)] else { return true }
            if definition.sharesState { server.attributes = shared.attributes }
            definition.isLinkAware(&server, link.security)
            let right = server.answer(packet)
            let answers = definition.answer(packet, right, &server)
            links[ObjectIdentifier(link)] = server
            shared = server
            if definition.delaysAnswers, packet == [0x04, 1, 0, 1, 0] {
                repeated.append(contentsOf: answers)
                if repeated.count < 2 { return true }
                // The second of two equal requests is answered when the next one arrives.
                if let first = repeated.first { first.withByteView { link.send(cid: 4, $0) } }
                return true
            }
            if definition.delaysAnswers, packet == [0x0A, 0, 0] {
                ([0x01, 0x04, 1, 0, 0x0A] as [UInt8]).withByteView { link.send(cid: 4, $0) }
                return true
            }
            for answer in answers { answer.withByteView { link.send(cid: 4, $0) } }
            return true
        case 5 where definition.endsLinkOnSignal(packet):
            link.disconnect()
            return true
        case 5:
            guard let signal = definition.signal else { return false }
            for answer in signal(packet) { answer.withByteView { link.send(cid: 5, $0) } }
            return true
        case 6:
            if link.security.level == .none, definition.losesBond(packet) {
                for bond in bonds.bonds { bonds.remove(bond) }
            }
            guard let security = definition.security else { return false }
            for answer in security(packet) { answer.withByteView { link.send(cid: 6, $0) } }
            return true
        default:
            if definition.answersUnknownChannels {
                ([0x01, 0x00, 0, 0, 0x06] as [UInt8]).withByteView { link.send(cid: 4, $0) }
            }
            return false
        }
    }

    func securityManager(
        _ manager: SecurityManager, asks question: SecurityQuestion, on link: any SecurityLink,
        answer: @escaping (SecurityAnswer) -> Void
    ) { answer(.accept) }

    func securityManager(_ manager: SecurityManager, userOf link: any SecurityLink) -> SecurityUser? {
        definition.passkey.map { passkey in
            SecurityUser(
                capability: definition.pairing?.capability ?? .displayOnly, wantsMITM: true, passkey: passkey)
        }
    }
}
