/// Until when a loop waits at most.
struct LoopLimit {
    /// On the loop's clock, so that two limits can be compared.
    var instant: RadioInstant
    /// So long in real time; 0 to look and not to wait.
    var nanoseconds: Int64

    /// Not at all.
    static let now = LoopLimit(instant: .start, nanoseconds: 0)

    /// For system calls that know no less; rounded up, as a timer that is looked at before it is due has to be looked at again.
    var milliseconds: Int32 { Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)) }
}
