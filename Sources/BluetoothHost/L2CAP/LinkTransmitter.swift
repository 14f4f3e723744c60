import BluetoothModel
import BluetoothRuntime

/// The role of this host on a link (Core 6.0, Vol 6, Part B, 4.5).
package enum LinkRole: Hashable, Sendable {
    /// The side that initiated the connection and determines its parameters.
    case central
    /// The side that advertised.
    case peripheral
}

/// The interface of a link that L2CAP uses.
///
/// A ``L2CAPLink`` retains its transmitter until ``L2CAPLink/linkClosed(_:)`` and does not use it afterwards.
package protocol LinkTransmitter: AnyObject {
    /// The connection handle, 0x0000 to 0x0EFF.
    var handle: UInt16 { get }
    /// The role of this host on the link.
    var role: LinkRole { get }
    /// The time and the timers of the stack that owns the link.
    var hostTime: HostTime { get }
    /// The time between two connection events.
    var connectionInterval: Duration { get }
    /// True if a bulk sender may send. It is read before each frame; after false, ``L2CAPLink/roomAvailable()`` is
    /// called once there is room.
    var hasRoom: Bool { get }
    /// The current security of the link.
    var security: LinkSecurity { get }

    /// Sends one L2CAP frame: adds the basic header, fragments the frame, and copies the payload before it returns.
    /// Frames are accepted even without room, because responses to the peer do not wait. A peer that sends requests
    /// without accepting the responses is disconnected.
    func send(cid: UInt16, _ payload: ByteView)

    /// Sends one L2CAP frame of a bulk sender, after ``hasRoom`` returned true. It does not use the controller's last
    /// buffers, which are reserved for responses, pairing and signalling.
    func sendValue(cid: UInt16, _ payload: ByteView)

    /// Disconnects the link; ``L2CAPLink/linkClosed(_:)`` follows once the controller reports it.
    func disconnect(reason: HCIStatus)

    /// Handles a Connection Parameter Update Request, as central. Returns true to accept it; the link then updates its
    /// parameters.
    func connectionParametersRequested(_ request: ConnectionParametersRequest) -> Bool
}

extension LinkTransmitter {
    /// The time of the event that is being processed.
    package var now: RadioInstant { hostTime.now }

    /// The timers of the stack.
    package var timers: TimerQueue { hostTime.timers }

    /// Zero: unknown, so that other minimum times apply.
    package var connectionInterval: Duration { .zero }

    /// Sends the frame like any other.
    package func sendValue(cid: UInt16, _ payload: ByteView) { send(cid: cid, payload) }
}
