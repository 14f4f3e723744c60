import BluetoothModel
import BluetoothRuntime

/// Which side of a link this host is (Core 6.0, Vol 6, Part B, 4.5).
public enum LinkRole: Hashable, Sendable {
    /// The side that initiated the connection and decides its parameters.
    case central
    /// The side that advertised.
    case peripheral
}

/// What L2CAP needs of the link under it.
///
/// A ``L2CAPLink`` holds its transmitter until ``L2CAPLink/linkClosed(_:)``, and never calls it after that.
public protocol LinkTransmitter: AnyObject {
    /// The connection handle, 0x0000 to 0x0EFF.
    var handle: UInt16 { get }
    /// Which side of the link this host is.
    var role: LinkRole { get }
    /// The time of the event that the stack is working on.
    var now: RadioInstant { get }
    /// The timers of the stack that owns the link.
    var timers: TimerQueue { get }
    /// Time between two connection events.
    var connectionInterval: Duration { get }
    /// Whether a bulk sender may send. It asks this before each frame, and waits for ``L2CAPLink/roomAvailable()``
    /// where it is false.
    var hasRoom: Bool { get }
    /// How well the link is protected at this moment.
    var security: LinkSecurity { get }

    /// Sends one L2CAP frame: adds the basic header, fragments, and copies the payload before it returns. Accepted also
    /// without room: answers to the peer do not wait. A peer that asks and asks and takes no answer loses the link.
    func send(cid: UInt16, _ payload: ByteView)

    /// Sends one L2CAP frame of a bulk sender that saw ``hasRoom``. It leaves the controller's last buffers to answers,
    /// pairing and signalling.
    func sendValue(cid: UInt16, _ payload: ByteView)

    /// Ends the link; ``L2CAPLink/linkClosed(_:)`` follows once the controller says so.
    func disconnect(reason: HCIStatus)

    /// Central only: the peripheral asks for other connection parameters by L2CAP; true accepts them, and the link
    /// then updates them by itself.
    func connectionParametersRequested(_ request: ConnectionParametersRequest) -> Bool
}

extension LinkTransmitter {
    /// Unknown: shorter than any that matters.
    public var connectionInterval: Duration { .zero }

    /// As any other frame.
    public func sendValue(cid: UInt16, _ payload: ByteView) { send(cid: cid, payload) }
}
