import BluetoothHCI

/// A packet as it crosses a link (Core 6.0, Vol 6, Part B, 2.4), without what no virtual link needs: access address,
/// sequence numbers, length and CRC.
struct LinkPDU: Equatable {
    /// What a packet carries; the raw value is the LLID field.
    enum Kind: UInt8 {
        /// A further part of an L2CAP frame.
        case continuation = 1
        /// The first part of an L2CAP frame.
        case start = 2
        /// Something from one link layer to the other.
        case control = 3
    }

    /// The first octet of the header.
    var header: UInt8
    /// What follows the header; on an encrypted link with the message integrity check behind it.
    var payload: [UInt8]

    init(_ kind: Kind, payload: [UInt8]) {
        header = kind.rawValue
        self.payload = payload
    }

    init(_ boundary: ACLHeader.Boundary, payload: [UInt8]) {
        self.init(boundary.isFirst ? .start : .continuation, payload: payload)
    }
}

/// Sees every packet between the moment in which it leaves one side and the one in which it reaches the other, and
/// may change it.
typealias LinkTap = (_ pdu: inout LinkPDU, _ sender: LinkEnd.Role) -> Void
