/// The latest end of a loop's wait.
struct LoopLimit {
    /// The instant on the loop's clock, by which limits are compared.
    var instant: RadioInstant
    /// The remaining real time, in nanoseconds; 0 to poll without waiting.
    var nanoseconds: Int64

    /// No wait.
    static let now = LoopLimit(instant: .start, nanoseconds: 0)

    /// Milliseconds for poll and epoll, rounded up so that the wait never ends early.
    var milliseconds: Int32 { Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)) }
}
