import BluetoothModel

/// What one record of a capture says.
package struct Dissection: Hashable, Sendable {
    /// The attribute protocol's part of a packet.
    package struct Attribute: Hashable, Sendable {
        /// The opcode as it stands in the packet.
        package var opcode: UInt8
        /// The attributes that the packet names, or that the request which it answers named.
        package var handles: [UInt16] = []
    }

    /// Something that the summary of a capture is made of.
    package enum Note: Hashable, Sendable {
        /// A link began, or its first packet was captured: the number of the link in the capture, from 0.
        case link(Int)
        /// A link came to its end.
        case linkEnded(Int, HCIStatus)
        /// A procedure of a link, by its name.
        case procedure(Int, String)
        /// A value of so many bytes passed on a link.
        case value(Int, CaptureRecord.Direction, Int)
        /// A request was answered after so many nanoseconds.
        case answered(what: String, nanoseconds: Int64)
        /// A link has another MTU in octets.
        case mtu(Int, Int)
    }

    /// The place of the record in the file, from 1.
    package var number: Int
    /// Nanoseconds since the start of 1970; nil where the file does not say.
    package var time: Int64?
    /// Nanoseconds since the record before; nil where one of both has no time.
    package var delta: Int64?
    /// The connection handle; nil for what belongs to no link.
    package var connection: UInt16?
    /// Which way the packet went.
    package var direction: CaptureRecord.Direction?
    /// The protocols in it, from the outermost inwards: `hci`, `acl`, `l2cap`, `att`.
    package var layers: [String] = []
    /// What it says, in one line.
    package var summary = ""
    /// The attribute protocol's part; nil where there is none.
    package var att: Attribute?
    /// What is wrong, or went wrong.
    package var error: String?
    /// The devices that it is about.
    package var devices: Set<BluetoothAddress> = []
    /// What the summary of the capture is made of.
    package var notes: [Note] = []

    init(_ record: CaptureRecord, after last: Int64?) {
        number = record.number
        time = record.time
        direction = record.direction
        if let time, let last {
            let difference = time.subtractingReportingOverflow(last)
            delta = difference.overflow ? nil : difference.partialValue
        }
    }

    /// Notes what is wrong; the first counts.
    mutating func fail(_ text: String) { error = error ?? text }
}
