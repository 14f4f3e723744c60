/// The authentication requirements of one side: the AuthReq octet (Core 6.0, Vol 3, Part H, 3.5.1).
struct AuthenticationRequirements: OptionSet, Hashable {
    /// The octet as received, including reserved bits, because both sides compute check values from it.
    let rawValue: UInt8

    /// The keys are stored. The field has two bits, of which this is the only defined value other than 0.
    static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// MITM protection.
    static let mitm = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications are sent during passkey entry.
    static let keypress = AuthenticationRequirements(rawValue: 0x10)

    var isBonding: Bool { rawValue & 0x03 == 0x01 }
}
