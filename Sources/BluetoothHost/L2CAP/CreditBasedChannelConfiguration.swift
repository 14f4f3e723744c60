/// What our side of a channel with credits takes (Core 6.0, Vol 3, Part A, 4.22).
public struct CreditBasedChannelConfiguration: Hashable, Sendable {
    /// The longest message that we receive, 23 to 65,535 octets.
    public var mtu: Int
    /// The largest piece of a message that we receive, 23 to 65,533 octets.
    public var mps: Int
    /// How many of the longest messages the peer may send before the first was consumed, at least 1.
    public var window: Int

    /// A configuration; values out of range are brought into it.
    public init(mtu: Int = 2048, mps: Int = 247, window: Int = 4) {
        self.mtu = min(max(mtu, 23), 65_535)
        self.mps = min(max(mps, 23), 65_533)
        self.window = max(window, 1)
    }

    /// The credits that the window needs.
    var initialCredits: Int {
        let perMessage = (mtu + 2 + mps - 1) / mps
        return min(window * perMessage, 65_535)
    }
}
