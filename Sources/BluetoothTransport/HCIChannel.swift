import BluetoothModel
import BluetoothRuntime

/// A channel to one controller: packets in both directions, and an end.
///
/// A packet is one H4 packet *with* its type octet (Core 6.0, Vol 4, Part A, 2), on any transport. A channel is
/// confined to its loop: all methods are called there, and the delegate is called there.
package protocol HCIChannel: AnyObject {
    /// The loop that the channel is confined to.
    var loop: RadioLoop { get }

    /// The delegate, which is not retained and removes itself before it is released. Where there is none, a channel on
    /// a file descriptor and an ``InProcessChannel`` keep the packets for the next one.
    var delegate: (any HCIChannelDelegate)? { get set }

    /// The name of the channel, for messages: "tcp:127.0.0.1:9001".
    var name: String { get }

    /// Sends one H4 packet.
    ///
    /// The packet is written at once. Bytes that the system does not accept are queued and sent in order, one packet
    /// per datagram on packet sockets. Sending to a closed channel does nothing. The delegate is not called inside this
    /// call.
    func send(_ packet: ByteView)

    /// True if more than ``HCIChannelLimits/congestion`` bytes are queued.
    ///
    /// A sender that can wait should then stop until ``HCIChannelDelegate/channelDidDrain(_:)``. Beyond
    /// ``HCIChannelLimits/overflow`` the channel fails.
    var isCongested: Bool { get }

    /// Closes the channel at once and discards the queue; the delegate is not called again.
    func close()
}

/// The events of a channel. Called on its loop.
package protocol HCIChannelDelegate: AnyObject {
    /// One H4 packet was received; the view is valid during the call. The packets of one read are delivered in
    /// consecutive calls.
    func channel(_ channel: any HCIChannel, received packet: ByteView)

    /// The queue has been sent, after ``HCIChannel/isCongested`` was true.
    func channelDidDrain(_ channel: any HCIChannel)

    /// The channel ended by itself; nil if the peer closed it without an error.
    ///
    /// Called once, as the last event, and never after ``HCIChannel/close()``.
    func channel(_ channel: any HCIChannel, closed error: TransportError?)
}

extension HCIChannelDelegate {
    /// Does nothing.
    package func channelDidDrain(_ channel: any HCIChannel) {}
}

/// The limits of a channel's queue while its socket is full.
package enum HCIChannelLimits {
    /// Number of queued bytes above which a channel is congested.
    package static let congestion = 64 * 1024

    /// Number of queued bytes above which a channel closes: the controller has stopped reading.
    package static let overflow = 4 * 1024 * 1024
}
