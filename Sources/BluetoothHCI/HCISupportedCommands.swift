import BluetoothModel

/// The commands that a controller supports: a bit mask of 64 octets (Core 6.0, Vol 4, Part E, 6.27).
package struct HCISupportedCommands: Hashable, Sendable {
    /// The length of the bit mask, in octets.
    package static let length = 64

    /// The octets in packet order; always ``length`` of them.
    package private(set) var octets: [UInt8]

    /// Creates an empty set of commands.
    package init() { octets = [UInt8](repeating: 0, count: Self.length) }

    /// Creates a set of commands; those that this module does not define are ignored.
    package init(_ commands: some Sequence<HCIOpcode>) {
        self.init()
        for command in commands { insert(command) }
    }

    /// Parses a received bit mask; missing octets of a short response are 0.
    package init(_ view: ByteView) {
        self.init()
        for index in 0..<min(view.count, Self.length) { octets[index] = view[index] }
    }

    /// Returns true if the bit of `command` is set; false for commands that this module does not define.
    package func contains(_ command: HCIOpcode) -> Bool {
        guard let entry = CommandEntry.byOpcode[command] else { return false }
        return octets[Int(entry.octet)] & 1 << entry.bit != 0
    }

    /// Sets the bit of `command`; no effect for commands that this module does not define.
    package mutating func insert(_ command: HCIOpcode) {
        guard let entry = CommandEntry.byOpcode[command] else { return }
        octets[Int(entry.octet)] |= 1 << entry.bit
    }

    /// Clears the bit of `command`; no effect for commands that this module does not define.
    package mutating func remove(_ command: HCIOpcode) {
        guard let entry = CommandEntry.byOpcode[command] else { return }
        octets[Int(entry.octet)] &= ~(1 << entry.bit)
    }
}
