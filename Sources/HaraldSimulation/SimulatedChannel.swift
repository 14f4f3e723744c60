import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport

/// Intercepts the packets between a host and its controller: adds all of them to the trace, and may drop packets for
/// the host.
final class SimulatedChannel: HCIChannel, HCIChannelDelegate {
    let loop: RadioLoop
    var name: String { inner.name }
    private let inner: any HCIChannel
    private let link: HostLine
    /// The life of the host to which the channel belongs.
    private let life: Int
    /// The delegate; it resets this reference before it is released.
    weak var delegate: (any HCIChannelDelegate)?
    /// The advertising reports that the controller holds back after a part of an advertisement.
    private var held: [[UInt8]] = []
    private lazy var heldTimer = loop.makeTimer { [weak self] in self?.releaseReports() }
    /// The time between two parts of an advertisement.
    private static let partPause = Duration.milliseconds(20)

    private lazy var lapses = LapsedController(
        link, loop: loop,
        toController: { [weak self] bytes in
            guard let self, life == link.life else { return }
            bytes.withByteView { self.inner.send($0) }
        },
        toHost: { [weak self] bytes in
            self?.loop.executeNext { [weak self] in
                guard let self, life == link.life else { return }
                bytes.withByteView { self.pass($0, isFromHost: false) }
            }
        })

    init(_ inner: any HCIChannel, _ link: HostLine) {
        self.inner = inner
        self.link = link
        life = link.life
        loop = inner.loop
        link.isOn = true
        inner.delegate = self
    }

    deinit { inner.delegate = nil }

    var isCongested: Bool { inner.isCongested }

    func send(_ packet: ByteView) {
        // A host that has died neither sends nor receives.
        guard life == link.life else { return }
        if link.isMute, Self.isConfirmation(packet) {
            // To a channel that does not exist: the peer ignores it, and the buffers of the controller stay in step.
            var changed = packet.array
            changed[7] = 0x3F
            return changed.withByteView { pass($0, isFromHost: true) }
        }
        if link.isOld, Self.opcode(packet) == 0x2011 { return refuse(packet, .memoryCapacityExceeded) }
        if let refused = link.refusedCommand, refused.matches(packet) {
            link.noteRefusal()
            return refuse(packet, .limitedResources)
        }
        guard lapses.sent(packet) else { return link.note(packet, isFromHost: true) }
        // LE Set Extended Scan Enable and Reset: no report follows the end of a scan.
        if [0x2042, 0x0C03].contains(Self.opcode(packet)) { dropReports() }
        limitLengths(packet) { pass($0, isFromHost: true) }
    }

    /// The opcode of a command; nil for another packet.
    private static func opcode(_ packet: ByteView) -> UInt16? {
        packet.count >= 4 && packet[0] == HCIPacketType.command.rawValue ? packet.uint16(at: 1) : nil
    }

    /// Answers a command in place of the controller: with Command Status for a connection, else with Command Complete.
    private func refuse(_ packet: ByteView, _ status: HCIStatus) {
        link.note(packet, isFromHost: true)
        let (event, low, high) = (HCIPacketType.event.rawValue, packet[1], packet[2])
        let answer =
            RefusableCommand.connect.matches(packet)
            ? [event, 0x0F, 4, status.rawValue, 1, low, high] : [event, 0x0E, 4, 1, low, high, status.rawValue]
        loop.executeNext { [weak self] in answer.withByteView { self?.receive($0) } }
    }

    // MARK: Advertising reports in parts

    /// True for an LE Extended Advertising Report event (Core 6.0, Vol 4, Part E, 7.7.65.13).
    private static func isReport(_ packet: ByteView) -> Bool {
        packet.count > 6 && packet[0] == HCIPacketType.event.rawValue && packet[1] == 0x3E && packet[3] == 0x0D
    }

    private func passReport(_ packet: ByteView) {
        pass(packet, isFromHost: false)
        // The data status: incomplete, more data to come.
        if packet[5] & 0x60 == 0x20 { heldTimer.arm(at: loop.now + Self.partPause) }
    }

    private func releaseReports() {
        guard life == link.life else { return held = [] }
        while !heldTimer.isArmed, !held.isEmpty {
            let next = held.removeFirst()
            next.withByteView { passReport($0) }
        }
    }

    private func dropReports() {
        held = []
        heldTimer.disarm()
    }

    private func pass(_ packet: ByteView, isFromHost: Bool) {
        link.note(packet, isFromHost: isFromHost)
        if isFromHost { inner.send(packet) } else { delegate?.channel(self, received: packet) }
    }

    /// Calls `body` with a packet; where the program limits the MTU, with a smaller one in an Exchange MTU Request or
    /// Response, and with a smaller MPS in an LE Credit Based Connection Request or Response. In both directions, so
    /// that both sides agree.
    private func limitLengths(_ packet: ByteView, _ body: (ByteView) -> Void) {
        guard let mtu = link.mtu, let place = Self.placeOfLength(packet) else { return body(packet) }
        var changed = packet.array
        // A message of 2,048 octets has more frames of 48 octets than the receiver gives credits for. With smaller
        // frames such messages make a world take minutes.
        let limit = packet[7] == 5 ? max(mtu, 48) : mtu
        let value = min(Int(packet.uint16(at: place)), limit)
        (changed[place], changed[place + 1]) = (UInt8(value & 0xFF), UInt8(value >> 8))
        changed.withByteView(body)
    }

    /// The place of the length that the program may limit.
    private static func placeOfLength(_ packet: ByteView) -> Int? {
        guard packet.count >= 12, packet[0] == HCIPacketType.acl.rawValue, packet[8] == 0 else { return nil }
        return switch (packet[7], packet[9], packet.count) {
        case (4, 0x02, 12), (4, 0x03, 12): 10
        case (5, 0x14, 23): 19
        case (5, 0x15, 23): 17
        default: nil
        }
    }

    /// True for an ACL packet with a Handle Value Confirmation.
    private static func isConfirmation(_ packet: ByteView) -> Bool {
        packet.count == 10 && packet[0] == HCIPacketType.acl.rawValue && packet[7] == 4 && packet[8] == 0
            && packet[9] == 0x1E
    }

    func close() {
        dropReports()
        lapses.end()
        inner.close()
    }

    func channel(_ channel: any HCIChannel, received packet: ByteView) {
        guard !link.loses(packet) else { return }
        receive(packet)
    }

    private func receive(_ packet: ByteView) {
        guard life == link.life else {
            lapses.end()
            return dropReports()
        }
        if lapses.isIdle { return deliver(packet) }
        lapses.received(packet)?.withByteView { deliver($0) }
    }

    private func deliver(_ packet: ByteView) {
        if Self.isReport(packet) {
            if heldTimer.isArmed { held.append(packet.array) } else { passReport(packet) }
        } else if link.isOld, packet.count == 8, packet[0] == HCIPacketType.event.rawValue, packet[1] == 0x59 {
            // Encryption Change in its first version, which has no key size (7.7.8)
            ([packet[0], 0x08, 4] + packet.dropFirst(3).prefix(4).array).withByteView { pass($0, isFromHost: false) }
        } else {
            limitLengths(packet) { pass($0, isFromHost: false) }
        }
    }

    func channelDidDrain(_ channel: any HCIChannel) { delegate?.channelDidDrain(self) }

    func channel(_ channel: any HCIChannel, closed error: TransportError?) {
        delegate?.channel(self, closed: error)
    }
}

/// A command that a controller may refuse.
enum RefusableCommand: Int, CaseIterable {
    case scan = 1
    case connect

    /// True for the packet of such a command; the end of a scan is not refused.
    func matches(_ packet: ByteView) -> Bool {
        guard packet.count > 4, packet[0] == HCIPacketType.command.rawValue else { return false }
        return switch self {
        // LE Set Extended Scan Enable
        case .scan: packet.uint16(at: 1) == 0x2042 && packet[4] == 1
        // LE Extended Create Connection
        case .connect: packet.uint16(at: 1) == 0x2043
        }
    }
}

/// The state of the line between one host and its controller. Confined to the loop.
final class HostLine {
    let host: Int
    /// The largest ATT_MTU and MPS; nil for no limit.
    let mtu: Int?
    /// True if the controller is that of an earlier version.
    let isOld: Bool
    private let trace: Trace
    private let clock: RadioClock
    private var generator: SimulationGenerator
    /// The percentage of ACL packets that the host does not receive.
    var lossPercent = 0
    /// True if the host confirms no indications.
    var isMute = false
    /// The command that the controller refuses next; nil for none.
    var refusedCommand: RefusableCommand?
    /// The next lapse of the controller; nil for none.
    var lapse: ControllerLapse?
    /// When the controller last had each lapse.
    private(set) var lapses: [ControllerLapse: RadioInstant] = [:]
    /// When the controller last refused each command.
    private(set) var refusals: [RefusableCommand: RadioInstant] = [:]
    /// True while the adapter is switched on. It is switched on each time it is opened.
    var isOn = true
    /// The number of lost packets, of lives, and of ended links whose peer is unknown.
    private var losses = 0
    /// The number of ended links with each peer, by the value of its address, and the peers of the current links, by
    /// handle.
    private var endings: [UInt64: Int] = [:], peers: [UInt16: UInt64] = [:]
    /// When the host's newest link began, and when its last one ended.
    private(set) var linkStart: RadioInstant?, linkEnd: RadioInstant?
    /// When the host last set its random address.
    private(set) var addressTime = RadioInstant.start
    /// The number of the host's current life.
    private(set) var life = 0
    /// The keys of the host's links.
    var keys = KeyLog()
    /// The requests of the host.
    private(set) var requests = RequestLog()

    var now: RadioInstant { clock.now }

    /// Ends the current life of the host.
    func die() {
        life += 1
        losses += 1
        // The files of the next life may contain a key that was forgotten shortly before.
        keys = KeyLog()
    }

    init(host: Int, trace: Trace, clock: RadioClock, program: Program) {
        self.host = host
        mtu = program.mtu
        isOld = program.isOld
        self.trace = trace
        self.clock = clock
        generator = SimulationGenerator(seed: program.seed, for: "line \(host)")
    }

    func noteRefusal() {
        if let refusedCommand { refusals[refusedCommand] = clock.now }
        refusedCommand = nil
    }

    /// Returns true, once, if this lapse is next.
    func takeLapse(_ kind: ControllerLapse) -> Bool {
        guard lapse == kind else { return false }
        lapse = nil
        lapses[kind] = clock.now
        return true
    }

    func loses(_ packet: ByteView) -> Bool {
        guard lossPercent > 0, !packet.isEmpty, packet[0] == HCIPacketType.acl.rawValue else { return false }
        guard generator.below(100) < lossPercent else { return false }
        losses += 1
        return true
    }

    /// The number of ended links with a peer, and of lost packets; values may be missing when it has changed. Without
    /// an address the links with all peers count.
    func breaks(with peer: BluetoothAddress?) -> Int {
        losses + (peer.map { endings[$0.value] ?? 0 } ?? endings.values.reduce(0, +))
    }

    func note(_ packet: ByteView, isFromHost: Bool) {
        let bytes = packet.array
        keys.note(bytes, isFromHost: isFromHost)
        requests.note(bytes, isFromHost: isFromHost)
        if !isFromHost { noteLinks(packet) }
        // LE Set Random Address
        let isCommand = isFromHost && packet.count > 3 && packet[0] == HCIPacketType.command.rawValue
        if isCommand, packet.uint16(at: 1) == 0x2005 { addressTime = clock.now }
        func words() -> String {
            let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return "h\(host) \(isFromHost ? "->" : "<-") \(digits)"
        }
        trace.add(clock.now.nanoseconds, [UInt8(host), isFromHost ? 1 : 0] + bytes, words())
    }

    /// Records the beginning and the end of links (Core 6.0, Vol 4, Part E, 7.7.5 and 7.7.65).
    private func noteLinks(_ packet: ByteView) {
        guard packet.count >= 7, packet[0] == HCIPacketType.event.rawValue else { return }
        // Disconnection Complete
        if packet[1] == 0x05 {
            if let peer = peers.removeValue(forKey: packet.uint16(at: 4)) {
                endings[peer, default: 0] += 1
            } else {
                losses += 1
            }
            linkEnd = clock.now
        }
        // LE Connection Complete, in its three kinds
        if packet[1] == 0x3E, [0x01, 0x0A, 0x29].contains(packet[3]), packet.count >= 15 {
            if packet[4] == 0 {
                peers[packet.uint16(at: 5)] = (0..<6).reduce(0) { $0 | UInt64(packet[9 + $1]) << (8 * $1) }
            }
            linkStart = clock.now
        }
    }
}
