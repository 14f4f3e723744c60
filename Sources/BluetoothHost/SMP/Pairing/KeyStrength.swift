import BluetoothModel

/// The strength of a key.
package struct KeyStrength: Hashable, Sendable {
    /// True if the key was made with MITM protection.
    package var isAuthenticated: Bool
    /// True if the key was made with LE Secure Connections.
    package var isSecureConnections: Bool
    /// The number of secret octets, 7 to 16.
    package var keySize: UInt8

    /// Creates a strength.
    package init(isAuthenticated: Bool, isSecureConnections: Bool, keySize: UInt8 = 16) {
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.keySize = keySize
    }

    /// The security level of a link that is encrypted with the key (Core 6.0, Vol 3, Part C, 10.2.1).
    package var level: LinkSecurity.Level {
        guard isAuthenticated else { return .encrypted }
        return isSecureConnections && keySize == 16 ? .secureConnections : .authenticated
    }

    /// Returns true if this key lacks a property of `other`. Such a key must not replace `other`, because an attacker
    /// could otherwise downgrade a bond by forcing a weaker pairing.
    package func isWeaker(than other: KeyStrength) -> Bool {
        !isAuthenticated && other.isAuthenticated || !isSecureConnections && other.isSecureConnections
            || keySize < other.keySize
    }
}

extension KeyStrength: CustomStringConvertible {
    /// A description such as "authenticated, LE Secure Connections, 16 octets".
    package var description: String {
        (isAuthenticated ? "authenticated" : "unauthenticated")
            + (isSecureConnections ? ", LE Secure Connections" : ", legacy") + ", \(keySize) octets"
    }
}
