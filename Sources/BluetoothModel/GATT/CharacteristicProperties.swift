/// What one may do with a characteristic (Core 6.0, Vol 3, Part G, 3.3.1.1 and 3.3.3.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The low eight bits are the Characteristic Properties field; the two above are requirements of the local side.
    public var rawValue: UInt16

    /// A set by its bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The value may be broadcast.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// The value can be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value can be written, and nobody answers.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value can be written, and the write is acknowledged.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// Changes can be sent, unacknowledged.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// Changes can be sent, each acknowledged.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// The value can be written with a signature.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// A descriptor holds further properties.
    public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)
    /// Local side: notifications only over an encrypted link.
    public static let notifyEncryptionRequired = CharacteristicProperties(rawValue: 0x100)
    /// Local side: indications only over an encrypted link.
    public static let indicateEncryptionRequired = CharacteristicProperties(rawValue: 0x200)

    /// The name of each property in the set, in the order of the bits: `["read", "notify"]`.
    public var names: [String] {
        let all = [
            "broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate", "authenticatedSignedWrites",
            "extendedProperties", "notifyEncryptionRequired", "indicateEncryptionRequired",
        ]
        return all.enumerated().filter { rawValue & 1 << UInt16($0.offset) != 0 }.map(\.element)
    }
}
