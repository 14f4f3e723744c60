/// The properties of a characteristic (Core 6.0, Vol 3, Part G, 3.3.1.1 and 3.3.3.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The low eight bits are the Characteristic Properties field. The two bits above are requirements of a local
    /// server.
    public var rawValue: UInt16

    /// Creates a set from its bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The value may be broadcast.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// The value can be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value can be written without a response.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value can be written with a response.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The value can be notified, without acknowledgement.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The value can be indicated, with acknowledgement.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// The value can be written with a signature.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// The Characteristic Extended Properties descriptor has more properties.
    public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)
    /// Local server only: notifications require an encrypted link.
    public static let notifyEncryptionRequired = CharacteristicProperties(rawValue: 0x100)
    /// Local server only: indications require an encrypted link.
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
