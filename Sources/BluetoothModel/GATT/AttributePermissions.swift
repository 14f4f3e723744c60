/// The operations that a GATT server permits on an attribute value (Core 6.0, Vol 3, Part F, 3.2.5).
public struct AttributePermissions: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt16

    /// Creates a set from its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The value may be read.
    public static let readable = AttributePermissions(rawValue: 0x01)
    /// The value may be written.
    public static let writeable = AttributePermissions(rawValue: 0x02)
    /// Reading requires an encrypted link.
    public static let readEncryptionRequired = AttributePermissions(rawValue: 0x04)
    /// Writing requires an encrypted link.
    public static let writeEncryptionRequired = AttributePermissions(rawValue: 0x08)
    /// Reading requires an encrypted link with an authenticated key.
    public static let readAuthenticationRequired = AttributePermissions(rawValue: 0x10)
    /// Writing requires an encrypted link with an authenticated key.
    public static let writeAuthenticationRequired = AttributePermissions(rawValue: 0x20)
    /// Reading and writing require a key of LE Secure Connections.
    public static let secureConnectionsRequired = AttributePermissions(rawValue: 0x40)
}
