import BluetoothModel

/// One attribute of our server (Core 6.0, Vol 3, Part F, 3.2).
final class Attribute {
    /// What stands behind the value.
    enum Value {
        /// A declaration: anybody may read it, nobody may write it.
        case declaration([UInt8])
        /// The server keeps it.
        case kept([UInt8])
        /// The delegate has it.
        case dynamic
        /// What each client asked for with regard to a characteristic, of what is offered.
        case clientConfiguration(of: UInt16, offered: GATTSubscription)
        /// What each client supports.
        case clientFeatures
        /// A digest of the database.
        case databaseHash
    }

    let handle: UInt16
    let type: BluetoothUUID
    let permissions: AttributePermissions
    /// For the value of a characteristic, what its declaration promises; nil for anything else.
    let properties: CharacteristicProperties?
    /// The smallest key that counts as encryption here, where it is more than the server's; 0 where none is demanded.
    let minimumKeySize: UInt8
    /// For the value of a characteristic, whether prepared writes are allowed without the property `write`.
    var allowsReliableWrites = false
    /// The last handle of the group that a service declaration begins; its own handle for anything else.
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

    /// Why a read is refused; nil where it is not.
    func refusalOfRead(_ security: LinkSecurity, minimumKeySize: UInt8) -> ATTErrorCode? {
        guard permissions.contains(.readable), properties?.contains(.read) ?? true else { return .readNotPermitted }
        // The usual case: nothing else is demanded.
        if permissions.isDisjoint(with: .demandsOfReads), self.minimumKeySize == 0 { return nil }
        return security.refusal(
            encryption: permissions.contains(.readEncryptionRequired) || self.minimumKeySize > 0,
            authentication: permissions.contains(.readAuthenticationRequired),
            secureConnections: permissions.contains(.secureConnectionsRequired),
            minimumKeySize: max(minimumKeySize, self.minimumKeySize))
    }

    /// Why a write with one of the `ways` is refused; nil where it is not. A prepared one may be reliable.
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
    /// What a link lacks, in the order in which it is to be said (Core 6.0, Vol 3, Part C, 10.3.1).
    func refusal(
        encryption: Bool, authentication: Bool, secureConnections: Bool, minimumKeySize: UInt8
    ) -> ATTErrorCode? {
        guard encryption || authentication || secureConnections else { return nil }
        // With a key from before, encrypting is enough; without one, pairing comes first.
        if level == .none { return isBonded ? .insufficientEncryption : .insufficientAuthentication }
        if authentication, level < .authenticated { return .insufficientAuthentication }
        if secureConnections, level < .secureConnections { return .insufficientAuthentication }
        return keySize < minimumKeySize ? .insufficientKeySize : nil
    }
}
