import BluetoothModel

package struct CaptureRecord: Hashable, Sendable {
    package enum Direction: String, Hashable, Sendable {
        /// From the host to the controller.
        case sent
        /// From the controller to the host.
        case received

        /// The opposite direction.
        package var reversed: Direction { self == .sent ? .received : .sent }
    }

    package enum Content: Hashable, Sendable {
        /// An HCI packet with its H4 type byte.
        case packet([UInt8])
        /// A message of the Bluetooth monitor of Linux that is no packet: its opcode and its data.
        case monitor(UInt16, [UInt8])
        case air(AirPacket)
        case other(String)
    }

    package init(
        number: Int, time: Int64? = nil, direction: Direction? = nil, adapter: UInt16 = 0, content: Content,
        missingCount: Int = 0
    ) {
        (self.number, self.time, self.direction) = (number, time, direction)
        (self.adapter, self.content, self.missingCount) = (adapter, content, missingCount)
    }

    /// The position in the file, starting from 1 as in Wireshark.
    package var number: Int
    /// Nanoseconds since the start of 1970 (UTC); nil if the file does not contain the time.
    package var time: Int64?
    /// The direction of the packet; nil if the file does not contain it.
    package var direction: Direction?
    /// The index of the adapter; 0 if the file does not contain it.
    package var adapter: UInt16 = 0
    package var content: Content
    /// The number of bytes of the packet that were not captured.
    package var missingCount = 0
}

/// An error that is thrown if the rest of a capture file cannot be read.
package struct CaptureDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the record, or of the header, that cannot be read.
    package var offset: Int
    /// A description of the damage.
    package var reason: String

    package init(at offset: Int, _ reason: String) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "damaged at offset \(offset): \(reason)" }
}
