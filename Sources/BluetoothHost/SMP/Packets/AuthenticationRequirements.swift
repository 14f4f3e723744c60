/// What a side wants of pairing: the octet AuthReq (Core 6.0, Vol 3, Part H, 3.5.1).
struct AuthenticationRequirements: OptionSet, Hashable {
    /// The octet as it was received, reserved bits included: both sides compute with the same one.
    let rawValue: UInt8

    /// The keys are kept. The flag has two bits, and this is the only value with a meaning.
    static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against somebody in the middle.
    static let mitm = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections.
    static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Tells the other side what the user does while entering a passkey.
    static let keypress = AuthenticationRequirements(rawValue: 0x10)

    var isBonding: Bool { rawValue & 0x03 == 0x01 }
}
