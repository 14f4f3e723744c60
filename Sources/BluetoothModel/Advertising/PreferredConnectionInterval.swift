/// The connection interval that a peripheral would like (Core Specification Supplement, Part A, 1.9).
public struct PreferredConnectionInterval: Hashable, Sendable {
    /// The shortest, in units of 1.25 ms, 6 to 3200; nil where the device has no minimum.
    public var minimum: UInt16?
    /// The longest, in units of 1.25 ms, 6 to 3200; nil where the device has no maximum.
    public var maximum: UInt16?

    /// A range with or without its ends.
    public init(minimum: UInt16?, maximum: UInt16?) {
        self.minimum = minimum
        self.maximum = maximum
    }
}
