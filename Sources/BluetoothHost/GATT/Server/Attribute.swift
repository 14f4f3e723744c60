import BluetoothModel

/// One attribute of the local server (Core 6.0, Vol 3, Part F, 3.2).
final class Attribute {
    /// The source of an attribute's value.
    enum Value {
        /// A declaration, which is readable without security and never writeable.
        case declaration([UInt8])
        /// A value stored by the server.
        case kept([UInt8])
        /// A value provided by the delegate.
        case dynamic
        /// The client characteristic configuration of a characteristic, stored for each client, and the subscriptions
        /// offered.
        case clientConfiguration(of: UInt16, offered: GATTSubscription)
        /// The Client Supported Features, stored for each client.
        case clientFeatures
        /// The Database Hash.
        case databaseHash
    }

    let handle: UInt16
    let type: BluetoothUUID
    let permissions: AttributePermissions
    /// The properties in the declaration, for the value of a characteristic; nil for other attributes.
    let properties: CharacteristicProperties?
    /// The minimum encryption key size of this attribute in octets, if larger than the server's; 0 for no requirement.
    let minimumKeySize: UInt8
    /// True if a characteristic value accepts prepared writes without the property `write`.
    var allowsReliableWrites = false
    /// The last handle of the group for a service declaration; the attribute's own handle otherwise.
    var groupEnd: UInt16
    var value: Value

    init(
        handle: UInt16, type: BluetoothUUID, value: Value, permissions: AttributePermissions = .readable,
        properties: CharacteristicProperties? = nil, minimumKeySize: UInt8 = 0
    ) {
        self.handle = handle
        self.type = type
        self.value = value
        self.permissions = permissions
        self.properties = properties
        self.minimumKeySize = minimumKeySize
        groupEnd = handle
    }

    /// Returns the error with which a read is refused; nil if it is permitted. The arguments are evaluated only if the
    /// attribute has security requirements.
    func refusalOfRead(
        _ security: @autoclosure () -> LinkSecurity, minimumKeySize: @autoclosure () -> UInt8
    ) -> ATTErrorCode? {
        guard permissions.contains(.readable), properties?.contains(.read) ?? true else { return .readNotPermitted }
        // Fast path: no security requirements.
        if permissions.isDisjoint(with: .demandsOfReads), self.minimumKeySize == 0 { return nil }
        return security().refusal(
            encryption: permissions.contains(.readEncryptionRequired) || self.minimumKeySize > 0,
            authentication: permissions.contains(.readAuthenticationRequired),
            secureConnections: permissions.contains(.secureConnectionsRequired),
            minimumKeySize: max(minimumKeySize(), self.minimumKeySize))
    }

    /// Returns the error with which a write is refused; nil if it is permitted. The attribute's properties must include
    /// one of `ways`, except for a prepared write where reliable writes are allowed.
    func refusalOfWrite(
        _ ways: CharacteristicProperties, isPrepared: Bool = false, _ security: LinkSecurity, minimumKeySize: UInt8
    ) -> ATTErrorCode? {
        let isOffered = properties.map { !$0.isDisjoint(with: ways) } ?? true
        guard permissions.contains(.writeable), isOffered || isPrepared && allowsReliableWrites else {
            return .writeNotPermitted
        }
        if permissions.isDisjoint(with: .demandsOfWrites), self.minimumKeySize == 0 { return nil }
        return security.refusal(
            encryption: permissions.contains(.writeEncryptionRequired) || self.minimumKeySize > 0,
            authentication: permissions.contains(.writeAuthenticationRequired),
            secureConnections: permissions.contains(.secureConnectionsRequired),
            minimumKeySize: max(minimumKeySize, self.minimumKeySize))
    }
}

extension AttributePermissions {
    fileprivate static let demandsOfReads: AttributePermissions = [
        .readEncryptionRequired, .readAuthenticationRequired, .secureConnectionsRequired,
    ]
    fileprivate static let demandsOfWrites: AttributePermissions = [
        .writeEncryptionRequired, .writeAuthenticationRequired, .secureConnectionsRequired,
    ]
}

extension LinkSecurity {
    /// Returns the error for the security that a link lacks, in the order of precedence (Core 6.0, Vol 3, Part C,
    /// 10.3.1).
    func refusal(
        encryption: Bool, authentication: Bool, secureConnections: Bool, minimumKeySize: UInt8
    ) -> ATTErrorCode? {
        guard encryption || authentication || secureConnections else { return nil }
        // With the key of a bond, encryption suffices; without one, pairing is necessary.
        if level == .none { return isBonded ? .insufficientEncryption : .insufficientAuthentication }
        if authentication, level < .authenticated { return .insufficientAuthentication }
        if secureConnections, level < .secureConnections { return .insufficientAuthentication }
        return keySize < minimumKeySize ? .insufficientKeySize : nil
    }
}
