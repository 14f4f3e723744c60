import BluetoothModel
import BluetoothRuntime

/// What carries the packets of one bearer: the fixed channel today; a channel with credits fits as well
/// (Core 6.0, Vol 3, Part F, 3.2.11).
protocol ATTChannel: AnyObject {
    var now: RadioInstant { get }
    var timers: TimerQueue { get }
    var security: LinkSecurity { get }
    /// Whether a bulk sender may send now.
    var hasRoom: Bool { get }
    /// Time between two moments at which the peer can take something.
    var connectionInterval: Duration { get }
    /// Sends one packet, copied before this returns.
    func send(_ packet: ByteView)
    /// Sends one packet of a bulk sender, copied before this returns.
    func sendValue(_ packet: ByteView)
    /// Ends the link because the peer does not answer.
    func disconnect()
    /// Nothing follows: lets go of the link.
    func close()
}

/// The fixed attribute channel of an LE link.
final class ATTFixedChannel: ATTChannel {
    /// The link, which holds its channels; nil once it is closed, so that they do not hold each other for ever.
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
