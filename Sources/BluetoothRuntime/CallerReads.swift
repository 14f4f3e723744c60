import Synchronization

/// The state of callers that read the loop's socket.
///
/// Proof of `@unchecked`: the policy is accessed only by the thread that runs as the loop; the rest is atomic.
final class CallerReads: @unchecked Sendable {
    /// True while the thread is about to let callers read the socket.
    let isLending = Atomic(false)
    /// The number of times that callers began to read.
    let count = Atomic<UInt>(0)
    /// True while a caller waits for a packet, which the thread can interrupt. Changed under the lock of the inbox.
    let isReading = Atomic(false)
    /// True while the thread waits for a caller to end. Changed under the lock of the inbox.
    let isTurnWanted = Atomic(false)
    /// Proof of `@exclusivity(unchecked)`: no access spans a call.
    @exclusivity(unchecked) var policy = CallerReadPolicy()
}
