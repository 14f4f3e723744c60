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
        limitMTU(packet) { pass($0, isFromHost: true) }
    }

    private func pass(_ packet: ByteView, isFromHost: Bool) {
        link.note(packet, isFromHost: isFromHost)
        if isFromHost { inner.send(packet) } else { delegate?.channel(self, received: packet) }
    }

    /// Calls `body` with a packet; with a smaller MTU where it is an Exchange MTU Request or Response and the program
    /// limits the MTU. In both directions, so that both sides agree.
    private func limitMTU(_ packet: ByteView, _ body: (ByteView) -> Void) {
        guard let limit = link.mtu, packet.count == 12, packet[0] == HCIPacketType.acl.rawValue, packet[7] == 4,
            packet[8] == 0, packet[9] == 0x02 || packet[9] == 0x03
        else { return body(packet) }
        var changed = packet.array
        let value = min(Int(changed[10]) | Int(changed[11]) << 8, limit)
        (changed[10], changed[11]) = (UInt8(value & 0xFF), UInt8(value >> 8))
        changed.withByteView(body)
    }

    /// True for an ACL packet with a Handle Value Confirmation.
    private static func isConfirmation(_ packet: ByteView) -> Bool {
        packet.count == 10 && packet[0] == HCIPacketType.acl.rawValue && packet[7] == 4 && packet[8] == 0
            && packet[9] == 0x1E
    }

    func close() { inner.close() }

    func channel(_ channel: any HCIChannel, received packet: ByteView) {
        guard life == link.life, !link.loses(packet) else { return }
        limitMTU(packet) { pass($0, isFromHost: false) }
    }

    func channelDidFinishRead(_ channel: any HCIChannel) { delegate?.channelDidFinishRead(self) }

    func channelDidDrain(_ channel: any HCIChannel) { delegate?.channelDidDrain(self) }

    func channel(_ channel: any HCIChannel, closed error: TransportError?) {
        delegate?.channel(self, closed: error)
    }
}

/// The state of the line between one host and its controller. Confined to the loop.
final class HostLine {
    let host: Int
    /// The largest ATT_MTU; nil for no limit.
    let mtu: Int?
    private let trace: Trace
    private let clock: RadioClock
    private var generator: SimulationGenerator
    /// The percentage of ACL packets that the host does not receive.
    var lossPercent = 0
    /// True if the host confirms no indications.
    var isMute = false
    /// True while the adapter is switched on. It is switched on each time it is opened.
    var isOn = true
    /// The number of ended links and lost packets of the host; values may be missing when it has changed.
    private(set) var breaks = 0
    /// When the host's newest link began.
    private(set) var linkStart: RadioInstant?
    /// The number of the host's current life.
    private(set) var life = 0
    /// The keys of the host's links.
    var keys = KeyLog()

    var now: RadioInstant { clock.now }

    /// Ends the current life of the host.
    func die() {
        life += 1
        breaks += 1
        // The files of the next life may contain a key that was forgotten shortly before.
        keys = KeyLog()
    }

    init(host: Int, trace: Trace, clock: RadioClock, program: Program) {
        self.host = host
        mtu = program.mtu
        self.trace = trace
        self.clock = clock
        generator = SimulationGenerator(seed: program.seed, for: "line \(host)")
    }

    func loses(_ packet: ByteView) -> Bool {
        guard lossPercent > 0, !packet.isEmpty, packet[0] == HCIPacketType.acl.rawValue else { return false }
        guard generator.below(100) < lossPercent else { return false }
        breaks += 1
        return true
    }

    func note(_ packet: ByteView, isFromHost: Bool) {
        let bytes = packet.array
        keys.note(bytes, isFromHost: isFromHost)
        // Disconnection Complete
        if !isFromHost, bytes.count > 1, bytes[0] == HCIPacketType.event.rawValue, bytes[1] == 0x05 { breaks += 1 }
        // LE Connection Complete, in its three kinds
        if !isFromHost, bytes.count > 3, bytes[0] == HCIPacketType.event.rawValue, bytes[1] == 0x3E,
            [0x01, 0x0A, 0x29].contains(bytes[3])
        {
            linkStart = clock.now
        }
        func words() -> String {
            let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return "h\(host) \(isFromHost ? "->" : "<-") \(digits)"
        }
        trace.add(clock.now.nanoseconds, [UInt8(host), isFromHost ? 1 : 0] + bytes, words())
    }
}
