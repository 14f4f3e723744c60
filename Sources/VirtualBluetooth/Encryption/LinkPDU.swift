import BluetoothHCI

/// A packet on a link (Core 6.0, Vol 6, Part B, 2.4), without the fields that a virtual link does not need: access
/// address, sequence numbers, length and CRC.
package struct LinkPDU: Equatable {
    /// The kind of payload; the raw value is the LLID field.
    enum Kind: UInt8 {
        /// A continuation fragment of an L2CAP frame.
        case continuation = 1
        /// The start of an L2CAP frame, or a complete one.
        case start = 2
        /// An LL control PDU.
        case control = 3
    }

    /// The first octet of the header.
    package var header: UInt8
    /// The payload; on an encrypted link followed by the message integrity check.
    package var payload: [UInt8]

    /// Creates a packet of its header and its payload.
    package init(header: UInt8, payload: [UInt8]) { (self.header, self.payload) = (header, payload) }

    init(_ kind: Kind, payload: [UInt8]) {
        header = kind.rawValue
        self.payload = payload
    }

    init(_ boundary: ACLHeader.Boundary, payload: [UInt8]) {
        self.init(boundary.isFirst ? .start : .continuation, payload: payload)
    }
}

/// Intercepts every packet between sender and receiver, and may modify it.
typealias LinkTap = (_ pdu: inout LinkPDU, _ sender: LinkEnd.Role) -> Void
