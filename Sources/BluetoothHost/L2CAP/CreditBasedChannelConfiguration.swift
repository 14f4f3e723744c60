/// The limits of the local side of a credit-based channel (Core 6.0, Vol 3, Part A, 4.22).
package struct CreditBasedChannelConfiguration: Hashable, Sendable {
    /// The maximum length of a received message, 23 to 65,535 octets.
    package var mtu: Int
    /// The maximum length of a received frame, 23 to 65,533 octets.
    package var mps: Int
    /// The number of messages of maximum length that the peer may send before one is consumed, at least 1.
    package var window: Int

    /// Creates a configuration; values out of range are clamped.
    package init(mtu: Int = 2048, mps: Int = 247, window: Int = 4) {
        self.mtu = min(max(mtu, 23), 65_535)
        self.mps = min(max(mps, 23), 65_533)
        self.window = max(window, 1)
    }

    /// The number of credits for the window, at most 65,535.
    var initialCredits: Int {
        let perMessage = (mtu + 2 + mps - 1) / mps
        return min(window * perMessage, 65_535)
    }
}
