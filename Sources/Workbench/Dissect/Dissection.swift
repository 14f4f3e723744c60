import BluetoothModel

/// The decoded form of a record of a capture.
package struct Dissection: Hashable, Sendable {
    /// The attribute protocol fields of a packet.
    package struct Attribute: Hashable, Sendable {
        package var opcode: UInt8
        /// The attribute handles in the packet, or in the request to which it is the response.
        package var handles: [UInt16] = []
    }

    /// A packet of the attribute protocol.
    package struct Exchange: Hashable, Sendable {
        /// The number of the link in the capture, from 0.
        package var link: Int
        /// The address of the device at the other end of the link; nil if it is not known.
        package var peer: BluetoothAddress?
        /// True if the captured host is the server.
        package var isOfHost: Bool
        /// The channel identifier of the bearer.
        package var channel: UInt16
        package var packet: [UInt8]
    }

    package struct Advertisement: Hashable, Sendable {
        package var address: BluetoothAddress
        package var isScanResponse: Bool
        package var isConnectable: Bool
        package var data: [UInt8]
    }

    /// An input of the summary of a capture.
    package enum Note: Hashable, Sendable {
        /// A link began, or its first packet was captured: the number of the link in the capture, from 0.
        case link(Int)
        case linkEnded(Int, HCIStatus)
        /// A procedure with this name began on a link.
        case procedure(Int, String)
        /// A value was transferred on a link; the last number is its length in octets.
        case value(Int, CaptureRecord.Direction, Int)
        /// The response to a request was received after `nanoseconds`.
        case answered(what: String, nanoseconds: Int64)
        /// The MTU of a link changed; the last number is the MTU in octets.
        case mtu(Int, Int)
    }

    /// The position of the record in the file, starting from 1.
    package var number: Int
    /// Nanoseconds since the start of 1970 (UTC); nil if the file does not contain the time.
    package var time: Int64?
    /// Nanoseconds since the previous record; nil if either record has no time.
    package var delta: Int64?
    /// The connection handle; nil if the record belongs to no link.
    package var connection: UInt16?
    /// The direction of the packet; nil if it is not known.
    package var direction: CaptureRecord.Direction?
    /// The protocols of the packet, from the outermost to the innermost: `hci`, `acl`, `l2cap`, `att`.
    package var layers: [String] = []
    /// The decoded fields in one line.
    package var summary = ""
    /// The attribute protocol fields; nil if the packet has none.
    package var att: Attribute?
    /// A description of a malformed packet, a protocol violation or a failed procedure; nil if there is none.
    package var error: String?
    /// The addresses of the devices that the record concerns.
    package var devices: Set<BluetoothAddress> = []
    /// The inputs of the summary of the capture.
    package var notes: [Note] = []
    /// The packet of the attribute protocol; nil if there is none, or ``Dissector/keepsPackets`` is false.
    package var exchange: Exchange?
    /// The advertisements; empty if ``Dissector/keepsPackets`` is false.
    package var advertisements: [Advertisement] = []

    init(_ record: CaptureRecord, after last: Int64?) {
        number = record.number
        time = record.time
        direction = record.direction
        if let time, let last {
            let difference = time.subtractingReportingOverflow(last)
            delta = difference.overflow ? nil : difference.partialValue
        }
    }

    /// Sets the error, unless there is one already.
    mutating func fail(_ text: String) { error = error ?? text }
}
