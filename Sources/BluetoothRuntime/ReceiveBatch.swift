/// The number of packets to receive in one turn from a packet socket, with one system call where there is one for
/// several packets.
///
/// The call for several packets costs more than two for a single packet, and so does a further call that finds none. So
/// several are requested while that finds at least three, and now and then, less often the more often it found fewer.
///
/// The packets of a stream arrive in bursts and, between them, one by one, as the scheduler lets the sender run. So
/// several are still requested for some turns after a burst.
package struct ReceiveBatch {
    /// The maximum number of packets of one turn.
    package static let most = 16

    /// The maximum number of packets of the next turn.
    package private(set) var limit = 1
    private var patience = 1
    private var singleCount = 0
    /// The number of turns that may still find fewer than three before the limit is one again.
    private var remaining = 0

    private static let leastFound = 3
    private static let longestPatience = 16
    private static let turnsAfterBurst = 32

    package init() {}

    /// Records that a turn found `count` packets.
    package mutating func received(_ count: Int) {
        if count >= Self.leastFound {
            (singleCount, patience, remaining) = (0, 1, Self.turnsAfterBurst)
        } else if remaining > 0 {
            remaining -= 1
        } else if limit > 1 {
            (limit, singleCount) = (1, 0)
            patience = min(patience * 2, Self.longestPatience)
        } else {
            singleCount += 1
            if singleCount >= patience { limit = Self.most }
        }
    }
}
