import Harald

/// A pattern for written values: bytes, `??` for any byte, and a final `*` for any number of further bytes.
public struct BytePattern: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8?]
    private let isOpen: Bool

    /// Parses a pattern, such as "01 ?? 03 *"; nil if malformed.
    public init?(_ text: String) {
        var rest = text.filter { !$0.isWhitespace }[...]
        isOpen = rest.hasSuffix("*")
        if isOpen { rest = rest.dropLast() }
        guard let bytes = [UInt8?](hexPattern: rest) else { return nil }
        self.bytes = bytes
    }

    /// Returns true if `value` matches the pattern.
    public func matches(_ value: [UInt8]) -> Bool {
        guard isOpen ? value.count >= bytes.count : value.count == bytes.count else { return false }
        return zip(bytes, value).allSatisfy { wanted, byte in wanted == nil || wanted == byte }
    }

    /// The text of the pattern.
    public var description: String {
        (bytes.map { $0.map { [$0].hexText() } ?? "??" } + (isOpen ? ["*"] : [])).joined(separator: " ")
    }
}
