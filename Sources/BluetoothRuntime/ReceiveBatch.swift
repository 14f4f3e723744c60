#if os(Linux) || os(Android)
import CLinuxPolling

/// The number of packets to receive with one system call from a packet socket.
///
/// The call for several packets costs more than two for a single packet. It is used while it finds at least three, and
/// is tried now and then, less often the more often it found fewer.
///
/// The packets of a stream arrive in bursts and, between them, one by one, as the scheduler lets the sender run. So
/// the call for several remains in use for some calls after it has found several.
struct ReceiveBatch {
    /// The maximum number of packets of the next call.
    private(set) var limit: UInt32 = 1
    private var patience = 1
    private var singleCount = 0
    /// The number of calls that may still find fewer than three before the limit is one again.
    private var remaining = 0

    private static let leastFound = 3
    private static let longestPatience = 16
    private static let callsAfterBurst = 32

    /// Records that a call returned `count` packets.
    mutating func received(_ count: Int) {
        if count >= Self.leastFound {
            (singleCount, patience, remaining) = (0, 1, Self.callsAfterBurst)
        } else if remaining > 0 {
            remaining -= 1
        } else if limit > 1 {
            (limit, singleCount) = (1, 0)
            patience = min(patience * 2, Self.longestPatience)
        } else {
            singleCount += 1
            if singleCount >= patience { limit = UInt32(HARALD_PACKETS) }
        }
    }
}
#endif
