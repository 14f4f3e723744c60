/// What can be asked of the user on one link, where several programs share an adapter.
public struct SecurityUser: Hashable, Sendable {
    /// What can be shown to the user, and what the user can enter.
    public var capability: IOCapability
    /// Whether protection against somebody in the middle is asked for in every pairing.
    public var wantsMITM: Bool
    /// Whether the peer may begin to pair.
    public var isPairable: Bool
    /// The passkey that is shown, where it cannot be another one each time: it is printed on the device. Who watches a
    /// few pairings of LE Secure Connections learns it, one bit each time, so this is for devices without a display.
    public var passkey: UInt32?
    /// Whether the user's key presses are told, where the peer does that too.
    public var sendsKeypresses: Bool

    /// A user.
    public init(
        capability: IOCapability, wantsMITM: Bool = false, isPairable: Bool = true, passkey: UInt32? = nil,
        sendsKeypresses: Bool = false
    ) {
        self.capability = capability
        self.wantsMITM = wantsMITM
        self.isPairable = isPairable
        self.passkey = passkey.map { $0 % 1_000_000 }
        self.sendsKeypresses = sendsKeypresses
    }
}
