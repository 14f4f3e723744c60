/// What one may do with a characteristic.
public struct CBCharacteristicProperties: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set by its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value may be broadcast.
    public static var broadcast: CBCharacteristicProperties { .init(rawValue: 0x01) }
    /// The value can be read.
    public static var read: CBCharacteristicProperties { .init(rawValue: 0x02) }
    /// The value can be written, and nobody answers.
    public static var writeWithoutResponse: CBCharacteristicProperties { .init(rawValue: 0x04) }
    /// The value can be written, and the write is acknowledged.
    public static var write: CBCharacteristicProperties { .init(rawValue: 0x08) }
    /// Changes can be sent, unacknowledged.
    public static var notify: CBCharacteristicProperties { .init(rawValue: 0x10) }
    /// Changes can be sent, each acknowledged.
    public static var indicate: CBCharacteristicProperties { .init(rawValue: 0x20) }
    /// The value can be written with a signature.
    public static var authenticatedSignedWrites: CBCharacteristicProperties { .init(rawValue: 0x40) }
    /// A descriptor holds further properties.
    public static var extendedProperties: CBCharacteristicProperties { .init(rawValue: 0x80) }
    /// Of a characteristic of one's own: notifications only over an encrypted link.
    public static var notifyEncryptionRequired: CBCharacteristicProperties { .init(rawValue: 0x100) }
    /// Of a characteristic of one's own: indications only over an encrypted link.
    public static var indicateEncryptionRequired: CBCharacteristicProperties { .init(rawValue: 0x200) }
}

/// What others may do with a value of one's own.
public struct CBAttributePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set by its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// It may be read.
    public static var readable: CBAttributePermissions { .init(rawValue: 0x01) }
    /// It may be written.
    public static var writeable: CBAttributePermissions { .init(rawValue: 0x02) }
    /// Reading needs an encrypted link.
    public static var readEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x04) }
    /// Writing needs an encrypted link.
    public static var writeEncryptionRequired: CBAttributePermissions { .init(rawValue: 0x08) }
}
