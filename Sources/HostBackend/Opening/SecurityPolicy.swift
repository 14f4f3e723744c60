/// What an adapter accepts of pairings and bonds, beyond what attributes demand.
public struct SecurityPolicy: Hashable, Sendable {
    /// The shortest key, 7 to 16 octets. Shorter ones than 16 can be guessed; it is lowered for a device that has no
    /// better one.
    public var minimumKeySize: UInt8
    /// Whether everything but authenticated LE Secure Connections is refused (Core 6.0, Vol 3, Part C, 10.2.4): no Just
    /// Works, no legacy pairing, and no bond that came of them.
    public var requiresSecureConnections: Bool

    /// A policy; a key size out of range counts as the nearest one in it.
    public init(minimumKeySize: UInt8 = 16, requiresSecureConnections: Bool = false) {
        self.minimumKeySize = minimumKeySize
        self.requiresSecureConnections = requiresSecureConnections
    }
}
