import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport

/// What stands between a host and its controller: everything that passes is in the trace, and what comes to the host may be
/// late or lost.
final class SimulatedChannel: HCIChannel, HCIChannelDelegate {
    let loop: RadioLoop
    var name: String { inner.name }
    private let inner: any HCIChannel
    private let link: HostLine
    /// The life of the host that it belongs to.
    private let life: Int
    /// It takes itself out before it goes.
    weak var delegate: (any HCIChannelDelegate)?

    init(_ inner: any HCIChannel, _ link: HostLine) {
        self.inner = inner
        self.link = link
        life = link.life
        loop = inner.loop
        inner.delegate = self
    }

    deinit { inner.delegate = nil }

    var isCongested: Bool { inner.isCongested }

    func send(_ packet: ByteView) {
        // A host that has died sends nothing, and hears nothing.
        guard life == link.life else { return }
        link.note(packet, isFromHost: true)
        inner.send(packet)
    }

    func close() { inner.close() }

    func channel(_ channel: any HCIChannel, received packet: ByteView) {
        guard life == link.life, !link.loses(packet) else { return }
        link.note(packet, isFromHost: false)
        delegate?.channel(self, received: packet)
    }

    func channelDidFinishRead(_ channel: any HCIChannel) { delegate?.channelDidFinishRead(self) }

    func channelDidDrain(_ channel: any HCIChannel) { delegate?.channelDidDrain(self) }

    func channel(_ channel: any HCIChannel, closed error: TransportError?) {
        delegate?.channel(self, closed: error)
    }
}

/// What the world knows of the line between one host and its controller. On the loop.
final class HostLine {
    let host: Int
    private let trace: Trace
    private let clock: RadioClock
    private var generator: SimulationGenerator
    /// The share of ACL packets that the host does not get, in percent.
    var lossPercent = 0
    /// How often a link of the host has ended, and how many packets were lost: what arrives before and after may have a gap.
    private(set) var breaks = 0
    /// Which life the host lives.
    private(set) var life = 0

    /// The host dies.
    func die() {
        life += 1
        breaks += 1
    }

    init(host: Int, trace: Trace, clock: RadioClock, seed: UInt64) {
        self.host = host
        self.trace = trace
        self.clock = clock
        generator = SimulationGenerator(seed: seed, for: "line \(host)")
    }

    func loses(_ packet: ByteView) -> Bool {
        guard lossPercent > 0, !packet.isEmpty, packet[0] == HCIPacketType.acl.rawValue else { return false }
        guard generator.below(100) < lossPercent else { return false }
        breaks += 1
        return true
    }

    func note(_ packet: ByteView, isFromHost: Bool) {
        let bytes = packet.array
        // Disconnection Complete
        if !isFromHost, bytes.count > 1, bytes[0] == HCIPacketType.event.rawValue, bytes[1] == 0x05 { breaks += 1 }
        func words() -> String {
            let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return "h\(host) \(isFromHost ? "->" : "<-") \(digits)"
        }
        trace.add(clock.now.nanoseconds, [UInt8(host), isFromHost ? 1 : 0] + bytes, words())
    }
}
