/// Builds packets field by field in a buffer that is reused.
///
/// Numbers are little-endian.
public struct ByteWriter {
    /// The written bytes, followed by bytes that can be overwritten. ``reset()`` therefore only sets `length`.
    @usableFromInline var storage: [UInt8]

    @usableFromInline var length = 0

    /// The number of bytes written.
    @inlinable
    public var count: Int { length }

    /// The bytes written since the last ``reset()``.
    @inlinable
    public var bytes: [UInt8] { count == storage.count ? storage : Array(storage[..<count]) }

    /// Creates an empty writer with room for `capacity` bytes. The buffer grows as needed.
    @inlinable
    public init(capacity: Int = 64) { storage = [UInt8](repeating: 0, count: max(capacity, 8)) }

    /// Removes all bytes and keeps the memory.
    @inlinable
    public mutating func reset() { length = 0 }

    /// Counts `length` more bytes as written, growing the buffer if needed, and returns the offset of the first one.
    @inlinable
    mutating func extend(by length: Int) -> Int {
        let start = self.length
        self.length = start + length
        if self.length > storage.count { grow() }
        return start
    }

    @usableFromInline
    mutating func grow() {
        storage.append(contentsOf: repeatElement(0, count: max(count, 2 * storage.count) - storage.count))
    }

    /// Appends one byte.
    @inlinable
    public mutating func uint8(_ value: UInt8) {
        let start = extend(by: 1)
        storage[start] = value
    }

    /// Appends two bytes.
    @inlinable
    public mutating func uint16(_ value: UInt16) {
        let start = extend(by: 2)
        storage[start] = UInt8(truncatingIfNeeded: value)
        storage[start + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }

    /// Appends the low three bytes of `value`.
    @inlinable
    public mutating func uint24(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value))
        uint8(UInt8(truncatingIfNeeded: value >> 16))
    }

    /// Appends four bytes.
    @inlinable
    public mutating func uint32(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value))
        uint16(UInt16(truncatingIfNeeded: value >> 16))
    }

    /// Appends eight bytes.
    @inlinable
    public mutating func uint64(_ value: UInt64) {
        uint32(UInt32(truncatingIfNeeded: value))
        uint32(UInt32(truncatingIfNeeded: value >> 32))
    }

    /// Appends the bytes of a view.
    @inlinable
    public mutating func append(_ view: ByteView) { append(view.unsafeBytes) }

    @inlinable
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let start = extend(by: bytes.count)
        storage.withUnsafeMutableBytes { UnsafeMutableRawBufferPointer(rebasing: $0[start...]).copyMemory(from: bytes) }
    }

    /// Appends the elements of a sequence.
    @inlinable
    public mutating func append(_ sequence: some Sequence<UInt8>) {
        let isMemory: Void? = sequence.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
        if isMemory == nil { for byte in sequence { uint8(byte) } }
    }

    /// Replaces a byte that was written before, such as a length that is known only at the end.
    @inlinable
    public mutating func set(_ value: UInt8, at offset: Int) {
        precondition(offset < count, "only what was written can be replaced")
        storage[offset] = value
    }

    /// Replaces two bytes that were written before.
    @inlinable
    public mutating func set(_ value: UInt16, at offset: Int) {
        set(UInt8(truncatingIfNeeded: value), at: offset)
        set(UInt8(truncatingIfNeeded: value >> 8), at: offset + 1)
    }

    /// Calls `body` with a view of the bytes written.
    @inlinable
    public func withByteView<Result>(_ body: (ByteView) -> Result) -> Result {
        storage.withByteView { body($0.prefix(count)) }
    }

    /// Calls `body` with a view of the bytes written, and does not count a reference to their memory, for which each
    /// packet would pay. The writer must neither be changed nor released before `body` returns. It is not changed here:
    /// this is mutating, because a method of another kind is called on a copy with a reference of its own.
    @inlinable
    package mutating func withUncountedView<Result>(_ body: (ByteView) -> Result) -> Result {
        let written = storage.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<length]) }
        return body(ByteView(written))
    }
}
