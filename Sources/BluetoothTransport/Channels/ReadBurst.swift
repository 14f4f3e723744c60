/// How many packets a packet socket is asked for in one turn of the loop.
///
/// A socket has two ways to say that there is no more: a read that finds nothing, or `poll` that keeps waiting, and the
/// second comes for nothing where the loop waits anyway. So a turn reads as many packets as the turns before it found,
/// and tries for more only now and then: less often the more often that was in vain, and at once where it was not.
struct ReadBurst {
    /// The most packets of one turn, so that other sockets get theirs.
    static let maximum = 64

    /// How many packets to read in this turn, unless the socket has fewer.
    private(set) var limit = 1
    private var isTrial = false
    private var fullTurns = 0
    private var patience = 1

    private static let longestPatience = 16

    /// A turn found `count` packets.
    mutating func ended(with count: Int) {
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
