/// The connection interval that a peripheral prefers (Core Specification Supplement, Part A, 1.9).
public struct PreferredConnectionInterval: Hashable, Sendable {
    /// The minimum in units of 1.25 ms, 6 to 3200; nil for no preference.
    public var minimum: UInt16?
    /// The maximum in units of 1.25 ms, 6 to 3200; nil for no preference.
    public var maximum: UInt16?

    /// Creates a range.
    public init(minimum: UInt16?, maximum: UInt16?) {
        self.minimum = minimum
        self.maximum = maximum
    }
}
