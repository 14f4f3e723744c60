/// Reads fields from a view, one after the other; every read answers nil once the bytes do not suffice.
///
/// Numbers are little-endian, as everywhere in Bluetooth.
public struct ByteReader {
    @usableFromInline var view: ByteView

    /// A reader at the start of `view`.
    @inlinable
    public init(_ view: ByteView) { self.view = view }

    /// What is still unread.
    @inlinable
    public var rest: ByteView { view }

    /// How many bytes are unread.
    @inlinable
    public var count: Int { view.count }

    /// Whether everything was read.
    @inlinable
    public var isAtEnd: Bool { view.isEmpty }

    /// The next `length` bytes, or nil where there are fewer.
    @inlinable
    public mutating func bytes(_ length: Int) -> ByteView? {
        guard length >= 0, view.count >= length else { return nil }
        defer { view = view.dropFirst(length) }
        return view.prefix(length)
    }

    /// The next byte.
    @inlinable
    public mutating func uint8() -> UInt8? {
        guard !view.isEmpty else { return nil }
        defer { view = view.dropFirst(1) }
        return view[0]
    }

    /// The next byte as a two's complement number.
    @inlinable
    public mutating func int8() -> Int8? { uint8().map { Int8(bitPattern: $0) } }

    /// The next two bytes.
    @inlinable
    public mutating func uint16() -> UInt16? {
        guard view.count >= 2 else { return nil }
        defer { view = view.dropFirst(2) }
        return view.uint16(at: 0)
    }

    /// The next three bytes.
    @inlinable
    public mutating func uint24() -> UInt32? { unsigned(3).map { UInt32(truncatingIfNeeded: $0) } }

    /// The next four bytes.
    @inlinable
    public mutating func uint32() -> UInt32? { unsigned(4).map { UInt32(truncatingIfNeeded: $0) } }

    /// The next eight bytes.
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
