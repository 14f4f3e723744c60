import BluetoothModel
import BluetoothRuntime

/// The transport of one bearer: currently the fixed channel. A credit-based channel fits as well (Core 6.0, Vol 3, Part
/// F, 3.2.11).
protocol ATTChannel: AnyObject {
    var now: RadioInstant { get }
    var timers: TimerQueue { get }
    var security: LinkSecurity { get }
    /// True if a bulk sender may send now.
    var hasRoom: Bool { get }
    /// The time between two opportunities for the peer to receive a packet.
    var connectionInterval: Duration { get }
    /// Sends one packet, which is copied before this returns.
    func send(_ packet: ByteView)
    /// Sends one packet of a bulk sender, which is copied before this returns.
    func sendValue(_ packet: ByteView)
    /// Disconnects the link because the peer does not answer.
    func disconnect()
    /// Releases the link. No call follows this one.
    func close()
}

/// The fixed attribute channel of an LE link.
final class ATTFixedChannel: ATTChannel {
    /// The link, which owns its channels; set to nil on close to break the reference cycle.
    private var transmitter: (any LinkTransmitter)?
    let timers: TimerQueue
    private var closedAt = RadioInstant.start

    init(transmitter: any LinkTransmitter) {
        self.transmitter = transmitter
        timers = transmitter.timers
    }

    var now: RadioInstant { transmitter?.now ?? closedAt }
    var security: LinkSecurity { transmitter?.security ?? LinkSecurity() }
    var hasRoom: Bool { transmitter?.hasRoom ?? false }

    func send(_ packet: ByteView) { transmitter?.send(cid: L2CAPChannelID.attribute, packet) }

    func sendValue(_ packet: ByteView) { transmitter?.sendValue(cid: L2CAPChannelID.attribute, packet) }

    var connectionInterval: Duration { transmitter?.connectionInterval ?? .zero }

    func disconnect() { transmitter?.disconnect(reason: .remoteUserTerminated) }

    func close() {
        closedAt = now
        transmitter = nil
    }
}
