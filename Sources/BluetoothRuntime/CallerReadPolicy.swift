/// Decides when callers read the loop's socket inside their operations, which saves waking threads, and when the loop's
/// thread reads it.
///
/// Callers read while operations follow each other one at a time and are answered at once, as by a simulated peer or a
/// peer in the same machine. A radio takes a connection interval, which is 7.5 ms or more, so callers never wait for
/// one. Confined to the loop.
final class CallerReadPolicy {
    /// The maximum duration of an operation for which a caller waits.
    static let quick = Duration.microseconds(250)
    /// The time after which the loop's thread reads again if no caller has begun to, in nanoseconds.
    static let interval: Int64 = 4_000_000

    /// The number of successive quick operations before callers read.
    private static let fewest = 16
    private static let most = 16_384

    private var needed = fewest
    private var count = 0
    /// The number of operations that are being performed.
    private(set) var running = 0

    /// True if callers should read.
    var wantsCallers: Bool { count >= needed }

    func began() { running += 1 }

    /// Records the end of an operation.
    func ended(after duration: Duration) {
        running -= 1
        count = running == 0 && duration < Self.quick ? count + 1 : 0
    }

    /// Callers could not read, or had to stop for the loop's thread: the next time needs more operations, unless they
    /// have read for a while.
    func failed(after reads: UInt) {
        count = 0
        if reads < UInt(needed) * 4 { needed = min(needed * 2, Self.most) }
    }

    /// Callers have stopped by themselves.
    func rested() {
        count = 0
        needed = Self.fewest
    }
}
