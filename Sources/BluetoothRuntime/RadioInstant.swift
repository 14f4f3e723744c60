/// An instant of an adapter's clock, in monotonic time.
public struct RadioInstant: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since an arbitrary start.
    public var nanoseconds: Int64

    /// Creates an instant from its nanoseconds.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The arbitrary start.
    public static let start = RadioInstant(nanoseconds: 0)
    /// The latest representable instant, in place of a deadline where there is none.
    static let never = RadioInstant(nanoseconds: .max)

    /// Returns true if `left` is earlier.
    @inlinable
    public static func < (left: RadioInstant, right: RadioInstant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the instant `duration` after `instant`, clamped to the latest representable one.
    @inlinable
    public static func + (instant: RadioInstant, duration: Duration) -> RadioInstant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return RadioInstant(nanoseconds: overflow ? .max : sum)
    }

    /// Returns the instant `duration` later, clamped to the latest representable one.
    @inlinable
    public func advanced(by duration: Duration) -> RadioInstant { self + duration }

    /// Returns the time to `other`.
    @inlinable
    public func duration(to other: RadioInstant) -> Duration { other - self }

    /// Returns the time from `right` to `left`.
    @inlinable
    public static func - (left: RadioInstant, right: RadioInstant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of 64 bits.
    @inlinable
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds < 9_000_000_000 else { return .max }
        guard seconds > -9_000_000_000 else { return .min }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
