/// Bytes that somebody else owns, valid only while the call that hands them over runs.
///
/// A received packet is parsed in place: layers pass views of one buffer to each other and nobody allocates. A value
/// that has to outlive the call is copied once, with ``array``. Every access is checked against the bounds, in
/// release builds too, so a wrong length in a packet ends in a trap at worst and never in a foreign byte; decoders use
/// ``ByteReader``, which answers nil instead.
public struct ByteView {
    @usableFromInline let base: UnsafeRawPointer?

    /// How many bytes the view covers.
    public let count: Int

    /// A view of the whole buffer.
    @inlinable
    public init(_ buffer: UnsafeRawBufferPointer) {
        base = buffer.baseAddress
        count = buffer.count
    }

    /// A view of nothing.
    public static var empty: ByteView { ByteView(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// Whether the view covers no byte.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The byte at `index`, which counts from 0.
    @inlinable
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count, "byte index out of range")
        // In range, so the view is not empty and has a base address.
        return base.unsafelyUnwrapped.load(fromByteOffset: index, as: UInt8.self)
    }

    /// The little-endian 16-bit number at `offset`.
    @inlinable
    public func uint16(at offset: Int) -> UInt16 {
        precondition(offset >= 0 && offset < count - 1, "byte index out of range")
        // In range, so the view is not empty and has a base address.
        return UInt16(littleEndian: base.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The bytes from `offset` to the end; empty where the view is shorter.
    @inlinable
    public func dropFirst(_ offset: Int) -> ByteView {
        precondition(offset >= 0, "negative offset")
        guard offset < count, let base else { return .empty }
        return ByteView(UnsafeRawBufferPointer(start: base + offset, count: count - offset))
    }

    /// The first `length` bytes; all of them where the view is shorter.
    @inlinable
    public func prefix(_ length: Int) -> ByteView {
        precondition(length >= 0, "negative length")
        return ByteView(UnsafeRawBufferPointer(start: base, count: min(length, count)))
    }

    /// A copy that may outlive the call.
    @inlinable
    public var array: [UInt8] { [UInt8](unsafeBytes) }

    /// The raw buffer, for system calls and copies.
    @inlinable
    public var unsafeBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Whether both views cover the same bytes.
    @inlinable
    public func elementsEqual(_ other: some Sequence<UInt8>) -> Bool { unsafeBytes.elementsEqual(other) }

    /// Whether the array has the same bytes; eight at a time, for this is asked with every advertisement.
    @inlinable
    public func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return other.withUnsafeBytes { other in
            let own = unsafeBytes
            var offset = 0
            while offset + 8 <= own.count {
                guard
                    own.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                        == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                else { return false }
                offset += 8
            }
            while offset < own.count {
                guard own[offset] == other[offset] else { return false }
                offset += 1
            }
            return true
        }
    }
}

extension ByteView: CustomStringConvertible {
    /// The bytes in hexadecimal, two digits each, with no separator.
    public var description: String { unsafeBytes.hexText() }
}

extension Array where Element == UInt8 {
    /// A copy of the bytes that a view covers.
    @inlinable
    public init(_ view: ByteView) { self = view.array }

    /// Calls `body` with a view of the array.
    @inlinable
    public func withByteView<Result>(_ body: (ByteView) throws -> Result) rethrows -> Result {
        try withUnsafeBytes { try body(ByteView($0)) }
    }
}

extension Sequence where Element == UInt8 {
    /// The bytes in hexadecimal, two upper-case digits each, with `separator` between two bytes.
    public func hexText(separator: String = "") -> String {
        var text = ""
        for byte in self {
            if !text.isEmpty { text += separator }
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16, uppercase: true)
        }
        return text
    }
}
