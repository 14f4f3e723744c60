import BluetoothModel

/// The opcode of a command: the group in the upper six bits, the command in the lower ten (Core 6.0, Vol 4, Part E,
/// 5.4.1).
public struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// The opcode in the packet.
    public var rawValue: UInt16

    /// Creates an opcode, known or not.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The opcode in events that answer no command and only provide command credits.
    public static let none = HCIOpcode(rawValue: 0)

    /// The opcode group field, 0 to 63.
    @inlinable
    public var group: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 10) }

    /// The opcode command field, 0 to 1023.
    @inlinable
    public var command: UInt16 { rawValue & 0x3FF }
}

extension HCIOpcode: CustomStringConvertible {
    /// The name in the specification, or the opcode in hexadecimal if it is unknown.
    public var description: String {
        if let name = CommandEntry.byOpcode[self]?.name ?? PacketLayouts.commandNames[rawValue] { return name }
        let bytes = [UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]
        return "command 0x\(bytes.hexText())"
    }
}
