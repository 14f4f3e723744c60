/// Builds a packet, field after field, in a buffer that is kept for the next one.
///
/// Numbers are little-endian, as everywhere in Bluetooth.
public struct ByteWriter {
    /// What was written, and behind it what is still to be written over: emptying it is then no more than a number.
    @usableFromInline var storage: [UInt8]

    @usableFromInline var length = 0

    /// How many bytes were written.
    @inlinable
    public var count: Int { length }

    /// What was written since the last ``reset()``.
    @inlinable
    public var bytes: [UInt8] { count == storage.count ? storage : Array(storage[..<count]) }

    /// An empty writer with room for `capacity` bytes; it grows where that is not enough.
    @inlinable
    public init(capacity: Int = 64) { storage = [UInt8](repeating: 0, count: max(capacity, 8)) }

    /// Forgets what was written and keeps the memory.
    @inlinable
    public mutating func reset() { length = 0 }

    /// Makes room for so many bytes more and counts them as written; where they begin.
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

    /// Appends what `view` covers.
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

    /// Replaces the byte at `offset`, which was written before: for lengths and counts known only at the end.
    @inlinable
    public mutating func set(_ value: UInt8, at offset: Int) {
        precondition(offset < count, "only what was written can be replaced")
        storage[offset] = value
    }

    /// Replaces the two bytes at `offset`, which were written before.
    @inlinable
    public mutating func set(_ value: UInt16, at offset: Int) {
        set(UInt8(truncatingIfNeeded: value), at: offset)
        set(UInt8(truncatingIfNeeded: value >> 8), at: offset + 1)
    }

    /// Calls `body` with a view of what was written.
    @inlinable
    public func withByteView<Result>(_ body: (ByteView) -> Result) -> Result {
        storage.withByteView { body($0.prefix(count)) }
    }
}
