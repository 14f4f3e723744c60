/// A code with assigned values. Unassigned values are preserved.
public protocol NamedCode: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger {
    /// Creates a code from its raw value.
    init(rawValue: RawValue)
    /// The names of the assigned values.
    static var names: [RawValue: String] { get }
}

extension NamedCode {
    /// The name of the code; nil if unassigned.
    public var name: String? { Self.names[rawValue] }
}

/// A set of bits with assigned meanings.
public protocol NamedBits: OptionSet, Hashable, Sendable where RawValue: FixedWidthInteger & Sendable {
    /// The names of the bits, from the lowest; empty for a reserved bit.
    static var names: [String] { get }
    /// The names of the bits that are set.
    var setNames: [String] { get }
}

extension NamedBits {
    /// The names of the bits that are set.
    public var setNames: [String] {
        Self.names.enumerated().filter { rawValue >> RawValue($0.offset) & 1 == 1 && !$0.element.isEmpty }
            .map(\.element)
    }
}
