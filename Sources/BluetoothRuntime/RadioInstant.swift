/// A point in monotonic time, as a ``RadioClock`` tells it.
public struct RadioInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since an arbitrary start.
    public var nanoseconds: Int64

    /// A point in time by its nanoseconds.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The arbitrary start.
    public static let start = RadioInstant(nanoseconds: 0)

    /// Which of two comes first.
    @inlinable
    public static func < (left: RadioInstant, right: RadioInstant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The point `duration` after `instant`; the end of time where that lies beyond it.
    @inlinable
    public static func + (instant: RadioInstant, duration: Duration) -> RadioInstant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return RadioInstant(nanoseconds: overflow ? .max : sum)
    }

    /// The time from `right` to `left`.
    @inlinable
    public static func - (left: RadioInstant, right: RadioInstant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, held to what 64 bits can say.
    @inlinable
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 9_000_000_000 else { return .max }
        guard seconds > -9_000_000_000 else { return .min }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
