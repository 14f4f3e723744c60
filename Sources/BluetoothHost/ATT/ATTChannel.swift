import BluetoothModel
import BluetoothRuntime

/// The transport of one bearer: the fixed attribute channel of an LE link.
///
/// A class and not a protocol, because each packet would retain and release a channel of an unknown type.
final class ATTChannel {
    /// The link, which owns its channels; set to nil on close to break the reference cycle.
    private var transmitter: (any LinkTransmitter)?
    private let time: HostTime

    init(transmitter: any LinkTransmitter) {
        self.transmitter = transmitter
        time = transmitter.hostTime
    }

    var now: RadioInstant { time.now }
    var timers: TimerQueue { time.timers }
    var security: LinkSecurity { transmitter?.security ?? LinkSecurity() }

    /// True if a bulk sender may send now.
    var hasRoom: Bool { transmitter?.hasRoom ?? false }

    /// Sends one packet, which is copied before this returns.
    func send(_ packet: ByteView) { transmitter?.send(cid: L2CAPChannelID.attribute, packet) }

    /// Sends one packet of a bulk sender, which is copied before this returns.
    func sendValue(_ packet: ByteView) { transmitter?.sendValue(cid: L2CAPChannelID.attribute, packet) }

    /// The time between two opportunities for the peer to receive a packet.
    var connectionInterval: Duration { transmitter?.connectionInterval ?? .zero }

    /// Disconnects the link because the peer does not answer.
    func disconnect() { transmitter?.disconnect(reason: .remoteUserTerminated) }

    /// Releases the link. No call follows this one.
    func close() { transmitter = nil }
}
