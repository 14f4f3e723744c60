import BluetoothModel

/// What a key is worth.
public struct KeyStrength: Hashable, Sendable {
    /// Whether the users vouched for it when it was made.
    public var isAuthenticated: Bool
    /// Whether it was made by LE Secure Connections.
    public var isSecureConnections: Bool
    /// How many octets of it are secret, 7 to 16.
    public var keySize: UInt8

    /// A strength.
    public init(isAuthenticated: Bool, isSecureConnections: Bool, keySize: UInt8 = 16) {
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize
    }

    /// The level of a link that is encrypted with the key (Core 6.0, Vol 3, Part C, 10.2.1).
    public var level: LinkSecurity.Level {
        guard isAuthenticated else { return .encrypted }
        return isSecureConnections && keySize == 16 ? .secureConnections : .authenticated
    }

    /// Whether something that `other` has is missing. A key like that must not take the other one's place: whoever can
    /// force a weaker pairing would otherwise undo a stronger one.
    public func isWeaker(than other: KeyStrength) -> Bool {
        !isAuthenticated && other.isAuthenticated || !isSecureConnections && other.isSecureConnections
            || keySize < other.keySize
    }
}

extension KeyStrength: CustomStringConvertible {
    /// "authenticated, LE Secure Connections, 16 octets".
    public var description: String {
        (isAuthenticated ? "authenticated" : "unauthenticated")
            + (isSecureConnections ? ", LE Secure Connections" : ", legacy") + ", \(keySize) octets"
    }
}
