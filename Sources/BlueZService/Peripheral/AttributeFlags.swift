import BluetoothModel

/// The flags of a client's characteristic or descriptor: the operations that it offers to centrals, and the security
/// that it requires of them.
struct AttributeFlags: Hashable {
    private(set) var properties: CharacteristicProperties = []
    private(set) var permissions: AttributePermissions = []
    /// The bits of the Characteristic Extended Properties descriptor; 0 without one.
    private(set) var extended: UInt8 = 0

    /// The flags that a characteristic and a descriptor can have.
    private static let common: [String: AttributePermissions] = [
        "read": .readable,
        "write": .writeable,
        "encrypt-read": [.readable, .readEncryptionRequired],
        "encrypt-write": [.writeable, .writeEncryptionRequired],
        "encrypt-authenticated-read": [.readable, .readAuthenticationRequired],
        "encrypt-authenticated-write": [.writeable, .writeAuthenticationRequired],
        "secure-read": [.readable, .readAuthenticationRequired, .secureConnectionsRequired],
        "secure-write": [.writeable, .writeAuthenticationRequired, .secureConnectionsRequired],
        // Requests of devices that are not trusted are not authorized one by one.
        "authorize": [],
    ]

    /// The flags that only a characteristic can have.
    private static let others: [String: (CharacteristicProperties, AttributePermissions, UInt8)] = [
        "broadcast": (.broadcast, [], 0),
        "write-without-response": (.writeWithoutResponse, .writeable, 0),
        "notify": (.notify, [], 0),
        "indicate": (.indicate, [], 0),
        "authenticated-signed-writes": (.authenticatedSignedWrites, .writeable, 0),
        "extended-properties": (.extendedProperties, [], 0),
        "reliable-write": (.extendedProperties, .writeable, 1),
        "writable-auxiliaries": (.extendedProperties, [], 2),
        // The seam has one level of security for subscriptions.
        "encrypt-notify": ([.notify, .notifyEncryptionRequired], [], 0),
        "encrypt-authenticated-notify": ([.notify, .notifyEncryptionRequired], [], 0),
        "secure-notify": ([.notify, .notifyEncryptionRequired], [], 0),
        "encrypt-indicate": ([.indicate, .indicateEncryptionRequired], [], 0),
        "encrypt-authenticated-indicate": ([.indicate, .indicateEncryptionRequired], [], 0),
        "secure-indicate": ([.indicate, .indicateEncryptionRequired], [], 0),
    ]

    /// Creates the flags of a characteristic; nil for an unknown flag or none.
    init?(characteristic flags: [String]?) {
        guard let flags, !flags.isEmpty else { return nil }
        for flag in flags {
            if let permissions = Self.common[flag] {
                self.permissions.formUnion(permissions)
                if permissions.contains(.readable) { properties.insert(.read) }
                if permissions.contains(.writeable) { properties.insert(.write) }
            } else if let (properties, permissions, extended) = Self.others[flag] {
                self.properties.formUnion(properties)
                self.permissions.formUnion(permissions)
                self.extended |= extended
            } else {
                return nil
            }
        }
    }

    /// Creates the flags of a descriptor; nil for an unknown flag or none.
    init?(descriptor flags: [String]?) {
        guard let flags, !flags.isEmpty else { return nil }
        for flag in flags {
            guard let permissions = Self.common[flag] else { return nil }
            self.permissions.formUnion(permissions)
        }
    }
}
