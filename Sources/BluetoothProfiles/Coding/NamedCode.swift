/// A number that stands for something; those without a name survive.
public protocol NamedCode: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger {
    /// A code.
    init(rawValue: RawValue)
    /// What the numbers stand for.
    static var names: [RawValue: String] { get }
}

extension NamedCode {
    /// What it stands for; nil for a number without a meaning yet.
    public var name: String? { Self.names[rawValue] }
}

/// Bits of which each stands for something.
public protocol NamedBits: OptionSet, Hashable, Sendable where RawValue: FixedWidthInteger & Sendable {
    /// What the bits stand for, from the lowest; an empty name for a bit that is kept for later.
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
