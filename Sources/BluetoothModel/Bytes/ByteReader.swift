/// Reads fields from a view, one after the other; every read answers nil once the bytes do not suffice.
///
/// Numbers are little-endian, as everywhere in Bluetooth.
public struct ByteReader {
    /// What is still unread.
    public private(set) var rest: ByteView

    /// A reader at the start of `view`.
    public init(_ view: ByteView) { rest = view }

    /// How many bytes are unread.
    @inlinable
    public var count: Int { rest.count }

    /// Whether everything was read.
    @inlinable
    public var isAtEnd: Bool { rest.isEmpty }

    /// The next `length` bytes, or nil where there are fewer.
    public mutating func bytes(_ length: Int) -> ByteView? {
        guard length >= 0, rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }

    /// The next byte.
    public mutating func uint8() -> UInt8? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(1) }
        return rest[0]
    }

    /// The next byte as a two's complement number.
    public mutating func int8() -> Int8? { uint8().map { Int8(bitPattern: $0) } }

    /// The next two bytes.
    public mutating func uint16() -> UInt16? {
        guard rest.count >= 2 else { return nil }
        defer { rest = rest.dropFirst(2) }
        return rest.uint16(at: 0)
    }

    /// The next three bytes.
    public mutating func uint24() -> UInt32? { unsigned(3).map { UInt32(truncatingIfNeeded: $0) } }

    /// The next four bytes.
    public mutating func uint32() -> UInt32? { unsigned(4).map { UInt32(truncatingIfNeeded: $0) } }

    /// The next eight bytes.
    public mutating func uint64() -> UInt64? { unsigned(8) }

    private mutating func unsigned(_ length: Int) -> UInt64? {
        guard let view = bytes(length) else { return nil }
        var value: UInt64 = 0
        for index in 0..<length { value |= UInt64(view[index]) << (8 * index) }
        return value
    }
}
