import BluetoothModel
import BluetoothRuntime

/// A way to one controller: packets in both directions, and an end.
///
/// A packet is one H4 packet *with* its type byte (Core 6.0, Vol 4, Part A, 2), whatever carries it. A channel is
/// confined to its loop: everything here is called there, and everything the delegate is told, it is told there.
public protocol HCIChannel: AnyObject {
    /// The loop that the channel is confined to.
    var loop: RadioLoop { get }

    /// Whom the channel tells; it is not retained, and takes itself out before it goes. Packets that come in while there is
    /// none are lost.
    var delegate: (any HCIChannelDelegate)? { get set }

    /// What the channel leads to, for messages: "tcp:127.0.0.1:9001".
    var name: String { get }

    /// Sends one H4 packet.
    ///
    /// The system is asked at once; what it does not take is copied into a queue and follows in order, one packet a
    /// datagram on packet sockets. Sending to a closed channel does nothing. The delegate is not called inside this call.
    func send(_ packet: ByteView)

    /// Whether more than ``HCIChannelLimits/congestion`` is queued.
    ///
    /// Whoever can wait then sends no more until ``HCIChannelDelegate/channelDidDrain(_:)``. A sender that goes on
    /// beyond ``HCIChannelLimits/overflow`` loses the channel.
    var isCongested: Bool { get }

    /// Closes the channel at once, with what is still queued; the delegate is not called again.
    func close()
}

/// What a channel tells, on its loop.
public protocol HCIChannelDelegate: AnyObject {
    /// One H4 packet came in; the view is valid during the call. The packets of one read come as consecutive calls.
    func channel(_ channel: any HCIChannel, received packet: ByteView)

    /// The last packet of one read was delivered: the moment to send what the packets have caused together.
    func channelDidFinishRead(_ channel: any HCIChannel)

    /// What was queued has been sent, after ``HCIChannel/isCongested`` was true.
    func channelDidDrain(_ channel: any HCIChannel)

    /// The channel came to its end by itself; nil where the other side closed it in good order.
    ///
    /// Called once, last, and never after ``HCIChannel/close()``.
    func channel(_ channel: any HCIChannel, closed error: TransportError?)
}

extension HCIChannelDelegate {
    /// Does nothing.
    public func channelDidFinishRead(_ channel: any HCIChannel) {}

    /// Does nothing.
    public func channelDidDrain(_ channel: any HCIChannel) {}
}

/// The bounds of what a channel queues while its socket is full.
public enum HCIChannelLimits {
    /// Bytes in the queue above which a channel is congested.
    public static let congestion = 64 * 1024

    /// Bytes in the queue above which a channel closes: the controller has stopped reading.
    public static let overflow = 4 * 1024 * 1024
}
