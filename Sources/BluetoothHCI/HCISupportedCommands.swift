import BluetoothModel

/// The commands that a controller knows: 64 octets of bits (Core 6.0, Vol 4, Part E, 6.27).
public struct HCISupportedCommands: Hashable, Sendable {
    /// How many octets the bit mask has on the wire.
    public static let length = 64

    /// The octets in the order of the packet; always ``length`` of them.
    public private(set) var octets: [UInt8]

    /// No command at all.
    public init() { octets = [UInt8](repeating: 0, count: Self.length) }

    /// The bit mask of these commands; those without a bit of their own are left out.
    public init(_ commands: some Sequence<HCIOpcode>) {
        self.init()
        for command in commands { insert(command) }
    }

    /// The bit mask as received; octets that a short answer leaves out are 0.
    public init(_ view: ByteView) {
        self.init()
        for index in 0..<min(view.count, Self.length) { octets[index] = view[index] }
    }

    /// Whether the bit of `command` is set; false for commands that this module does not name.
    public func contains(_ command: HCIOpcode) -> Bool {
        guard let entry = CommandEntry.byOpcode[command] else { return false }
        return octets[Int(entry.octet)] & 1 << entry.bit != 0
    }

    /// Sets the bit of `command`, where this module knows it.
    public mutating func insert(_ command: HCIOpcode) {
        guard let entry = CommandEntry.byOpcode[command] else { return }
        octets[Int(entry.octet)] |= 1 << entry.bit
    }

    /// Clears the bit of `command`.
    public mutating func remove(_ command: HCIOpcode) {
        guard let entry = CommandEntry.byOpcode[command] else { return }
        octets[Int(entry.octet)] &= ~(1 << entry.bit)
    }
}
