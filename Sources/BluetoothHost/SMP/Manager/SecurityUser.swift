/// The pairing capabilities of the user of one link, because several programs may share an adapter.
package struct SecurityUser: Hashable, Sendable {
    /// The input and output capability.
    package var capability: IOCapability
    /// True to request MITM protection in every pairing.
    package var wantsMITM: Bool
    /// True if the peer may start pairing.
    package var isPairable: Bool
    /// The fixed passkey, for a device that cannot use a new one each time: it is printed on the displaying device, or
    /// known in advance to the entering one. Each failed attempt with LE Secure Connections reveals a bit of it, so
    /// attempts are limited: see ``PasskeyLimiter``.
    package var passkey: UInt32?
    /// True to send keypress notifications, if the peer supports them too.
    package var sendsKeypresses: Bool
    /// The minimum encryption key size, 7 to 16 octets; nil for that of the configuration.
    package var minimumKeySize: UInt8?
    /// True to require authenticated LE Secure Connections on this link (Core 6.0, Vol 3, Part C, 10.2.4), even if the
    /// configuration does not.
    package var requiresSecureConnections: Bool

    /// Creates the capabilities of a user.
    package init(
        capability: IOCapability, wantsMITM: Bool = false, isPairable: Bool = true, passkey: UInt32? = nil,
        sendsKeypresses: Bool = false, minimumKeySize: UInt8? = nil, requiresSecureConnections: Bool = false
    ) {
        self.capability = capability
        self.wantsMITM = wantsMITM
        self.isPairable = isPairable
        self.passkey = passkey.map { $0 % 1_000_000 }
        self.sendsKeypresses = sendsKeypresses
        self.minimumKeySize = minimumKeySize
        self.requiresSecureConnections = requiresSecureConnections
    }
}
