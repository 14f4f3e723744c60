import BluetoothModel

/// One record of a capture file.
package struct CaptureRecord: Hashable, Sendable {
    /// Which way a packet went.
    package enum Direction: String, Hashable, Sendable {
        /// From the host to the controller.
        case sent
        /// From the controller to the host.
        case received

        /// The other one.
        package var reversed: Direction { self == .sent ? .received : .sent }
    }

    /// What a record holds.
    package enum Content: Hashable, Sendable {
        /// An HCI packet with its H4 type byte.
        case packet([UInt8])
        /// A message of Linux's Bluetooth monitor that is no packet: its opcode and its data.
        case monitor(UInt16, [UInt8])
        /// Something else, in words.
        case other(String)
    }

    /// The place in the file, from 1, as Wireshark counts.
    package var number: Int
    /// Nanoseconds since the start of 1970 (UTC); nil where the file does not say.
    package var time: Int64?
    /// Which way it went; nil where the file does not say.
    package var direction: Direction?
    /// The adapter, where the capture has several.
    package var adapter: UInt16 = 0
    /// What it holds.
    package var content: Content
    /// Bytes of the packet that were not captured.
    package var missingCount = 0
}

/// A capture file cannot be read any further.
package struct CaptureDamage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first byte of the record, or of the header, that cannot be read.
    package var offset: Int
    /// What is wrong with it.
    package var reason: String

    package init(at offset: Int, _ reason: String) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "damaged at offset \(offset): \(reason)" }
}
