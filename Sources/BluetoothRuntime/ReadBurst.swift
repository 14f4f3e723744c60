/// The number of packets to read from a packet socket in one turn of the loop.
///
/// The end of the available packets shows in two ways: a read that finds nothing, or `poll` that keeps waiting, and the
/// second costs nothing if the loop waits anyway. So a turn reads as many packets as the previous turns found, and
/// tries for more only after some full turns: twice as many after each attempt without success, one after a success.
package struct ReadBurst {
    /// The maximum number of packets of one turn, so that other sockets get their turn.
    package static let maximum = 64

    /// The number of packets to read in this turn, unless the socket has fewer.
    package private(set) var limit = 1
    private var isTrial = false
    private var fullTurns = 0
    private var patience = 1

    private static let longestPatience = 16

    package init() {}

    /// Records that a turn found `count` packets.
    package mutating func ended(with count: Int) {
        guard count >= limit else {
            if isTrial { patience = min(patience * 2, Self.longestPatience) }
            limit = max(1, count)
            isTrial = false
            fullTurns = 0
            return
        }
        if isTrial { patience = 1 }
        isTrial = false
        fullTurns += 1
        guard fullTurns >= patience, limit < Self.maximum else { return }
        limit *= 2
        isTrial = true
        fullTurns = 0
    }
}
