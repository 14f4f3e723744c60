/// Reads consecutive fields from a view. Every read returns nil if too few bytes are left.
///
/// Numbers are little-endian.
public struct ByteReader {
    @usableFromInline var view: ByteView

    /// Creates a reader at the start of `view`.
    @inlinable
    public init(_ view: ByteView) { self.view = view }

    /// The unread bytes.
    @inlinable
    public var rest: ByteView { view }

    /// The number of unread bytes.
    @inlinable
    public var count: Int { view.count }

    /// True if all bytes were read.
    @inlinable
    public var isAtEnd: Bool { view.isEmpty }

    /// Reads `length` bytes; nil if fewer are left.
    @inlinable
    public mutating func bytes(_ length: Int) -> ByteView? {
        guard length >= 0, view.count >= length else { return nil }
        defer { view = view.dropFirst(length) }
        return view.prefix(length)
    }

    /// Reads one byte.
    @inlinable
    public mutating func uint8() -> UInt8? {
        guard !view.isEmpty else { return nil }
        defer { view = view.dropFirst(1) }
        return view[0]
    }

    /// Reads one byte as a two's complement number.
    @inlinable
    public mutating func int8() -> Int8? { uint8().map { Int8(bitPattern: $0) } }

    /// Reads two bytes.
    @inlinable
    public mutating func uint16() -> UInt16? {
        guard view.count >= 2 else { return nil }
        defer { view = view.dropFirst(2) }
        return view.uint16(at: 0)
    }

    /// Reads three bytes.
    @inlinable
    public mutating func uint24() -> UInt32? { unsigned(3).map { UInt32(truncatingIfNeeded: $0) } }

    /// Reads four bytes.
    @inlinable
    public mutating func uint32() -> UInt32? { unsigned(4).map { UInt32(truncatingIfNeeded: $0) } }

    /// Reads eight bytes.
    @inlinable
    public mutating func uint64() -> UInt64? { unsigned(8) }

    @usableFromInline
    mutating func unsigned(_ length: Int) -> UInt64? {
        guard let view = bytes(length) else { return nil }
        var value: UInt64 = 0
        for index in 0..<length { value |= UInt64(view[index]) << (8 * index) }
        return value
    }
}
