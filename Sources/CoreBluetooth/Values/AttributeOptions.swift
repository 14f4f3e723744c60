/// The operations that a characteristic offers.
public struct CBCharacteristicProperties: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value may be broadcast.
    public static var broadcast: CBCharacteristicProperties { .init(rawValue: 0x01) }
    /// The value can be read.
    public static var read: CBCharacteristicProperties { .init(rawValue: 0x02) }
    /// The value can be written without a response.
    public static var writeWithoutResponse: CBCharacteristicProperties { .init(rawValue: 0x04) }
    /// The value can be written with a response.
    public static var write: CBCharacteristicProperties { .init(rawValue: 0x08) }
    /// The value can be notified: sent without a confirmation.
    public static var notify: CBCharacteristicProperties { .init(rawValue: 0x10) }
    /// The value can be indicated: sent with a confirmation.
    public static var indicate: CBCharacteristicProperties { .init(rawValue: 0x20) }
    /// The value can be written with a signature.
    public static var authenticatedSignedWrites: CBCharacteristicProperties { .init(rawValue: 0x40) }
    /// A descriptor holds further properties.
    public static var extendedProperties: CBCharacteristicProperties { .init(rawValue: 0x80) }
    /// Notifications require an encrypted link; for a local characteristic.
    public static var notifyEncryptionRequired: CBCharacteristicProperties { .init(rawValue: 0x100) }
    /// Indications require an encrypted link; for a local characteristic.
    public static var indicateEncryptionRequired: CBCharacteristicProperties { .init(rawValue: 0x200) }
}

/// The permissions of centrals on a local value.
public struct CBAttributePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value may be read.
    public static var readable: CBAttributePermissions { .init(rawValue: 0x01) }
    /// The value may be written.
    public static var writeable: CBAttributePermissions { .init(rawValue: 0x02) }
    /// Reading requires an encrypted link.
    public static var readEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x04) }
    /// Writing requires an encrypted link.
    public static var writeEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x08) }
}
