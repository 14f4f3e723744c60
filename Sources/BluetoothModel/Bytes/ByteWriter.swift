/// Builds a packet, field after field, in a buffer that is kept for the next one.
///
/// Numbers are little-endian, as everywhere in Bluetooth.
public struct ByteWriter {
    @usableFromInline var storage: [UInt8]

    /// What was written since the last ``reset()``.
    @inlinable
    public var bytes: [UInt8] { storage }

    /// An empty writer with room for `capacity` bytes.
    @inlinable
    public init(capacity: Int = 64) {
        storage = []
        storage.reserveCapacity(capacity)
    }

    /// How many bytes were written.
    @inlinable
    public var count: Int { storage.count }

    /// Forgets what was written and keeps the memory.
    @inlinable
    public mutating func reset() { storage.removeAll(keepingCapacity: true) }

    /// Appends one byte.
    @inlinable
    public mutating func uint8(_ value: UInt8) { storage.append(value) }

    /// Appends two bytes.
    @inlinable
    public mutating func uint16(_ value: UInt16) {
        storage.append(UInt8(truncatingIfNeeded: value))
        storage.append(UInt8(truncatingIfNeeded: value >> 8))
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
    public mutating func append(_ view: ByteView) { storage.append(contentsOf: view.unsafeBytes) }

    /// Appends the elements of a sequence.
    @inlinable
    public mutating func append(_ sequence: some Sequence<UInt8>) { storage.append(contentsOf: sequence) }

    /// Replaces the byte at `offset`, which was written before: for lengths and counts known only at the end.
    @inlinable
    public mutating func set(_ value: UInt8, at offset: Int) { storage[offset] = value }

    /// Replaces the two bytes at `offset`, which were written before.
    @inlinable
    public mutating func set(_ value: UInt16, at offset: Int) {
        storage[offset] = UInt8(truncatingIfNeeded: value)
        storage[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }

    /// Calls `body` with a view of what was written.
    @inlinable
    public func withByteView<Result>(_ body: (ByteView) -> Result) -> Result { storage.withByteView(body) }
}
