/// A view of bytes that are owned elsewhere. Valid only during the call that passes it.
///
/// Received packets are parsed in place: all layers pass views of one buffer, without allocating. Copy a value that
/// must outlive the call with ``array``. Every access is bounds-checked, also in release builds, so a wrong length in a
/// packet traps and never reads outside the buffer. Decoders use ``ByteReader``, which returns nil instead.
public struct ByteView {
    @usableFromInline let base: UnsafeRawPointer?

    /// The number of bytes.
    public let count: Int

    /// Creates a view of the whole buffer.
    @inlinable
    public init(_ buffer: UnsafeRawBufferPointer) {
        base = buffer.baseAddress
        count = buffer.count
    }

    /// An empty view.
    public static var empty: ByteView { ByteView(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// True if the view has no bytes.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The byte at `index`, counted from 0. Traps if out of range.
    @inlinable
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count, "byte index out of range")
        // In range, so the view is not empty and has a base address.
        return base.unsafelyUnwrapped.load(fromByteOffset: index, as: UInt8.self)
    }

    /// Returns the little-endian 16-bit number at `offset`. Traps if out of range.
    @inlinable
    public func uint16(at offset: Int) -> UInt16 {
        precondition(offset >= 0 && offset < count - 1, "byte index out of range")
        // In range, so the view is not empty and has a base address.
        return UInt16(littleEndian: base.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Returns the bytes from `offset` on; an empty view if there are none.
    @inlinable
    public func dropFirst(_ offset: Int) -> ByteView {
        precondition(offset >= 0, "negative offset")
        guard offset < count, let base else { return .empty }
        return ByteView(UnsafeRawBufferPointer(start: base + offset, count: count - offset))
    }

    /// Returns the first `length` bytes; all bytes if there are fewer.
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

    /// Returns true if the bytes are equal to those of a sequence.
    @inlinable
    public func elementsEqual(_ other: some Sequence<UInt8>) -> Bool { unsafeBytes.elementsEqual(other) }

    /// Returns true if the bytes are equal to those of the array. Compares eight bytes at a time, as it is called for
    /// every advertisement.
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
    /// Creates a copy of the bytes of a view.
    @inlinable
    public init(_ view: ByteView) { self = view.array }

    /// Calls `body` with a view of the array.
    @inlinable
    public func withByteView<Result>(_ body: (ByteView) throws -> Result) rethrows -> Result {
        try withUnsafeBytes { try body(ByteView($0)) }
    }
}

extension Sequence where Element == UInt8 {
    /// Returns the bytes in uppercase hexadecimal, two digits each, separated by `separator`.
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
