/// The authentication requirements of one side: the AuthReq octet (Core 6.0, Vol 3, Part H, 3.5.1).
package struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet as received, including reserved bits, because both sides compute check values from it.
    package let rawValue: UInt8

    /// A set by its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The keys are kept. The flag has two bits, and this is the only value with a meaning.
    package static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a man in the middle (MITM).
    package static let mitm = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    package static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications: the peer is notified of the user's keypresses during passkey entry.
    package static let keypress = AuthenticationRequirements(rawValue: 0x10)

    package var isBonding: Bool { rawValue & 0x03 == 0x01 }
}
