/// Builds a packet, field after field, in a buffer that is kept for the next one.
///
/// Numbers are little-endian, as everywhere in Bluetooth.
public struct ByteWriter {
    /// What was written since the last ``reset()``.
    public private(set) var bytes: [UInt8]

    /// An empty writer with room for `capacity` bytes.
    public init(capacity: Int = 64) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// How many bytes were written.
    @inlinable
    public var count: Int { bytes.count }

    /// Forgets what was written and keeps the memory.
    public mutating func reset() { bytes.removeAll(keepingCapacity: true) }

    /// Appends one byte.
    public mutating func uint8(_ value: UInt8) { bytes.append(value) }

    /// Appends two bytes.
    public mutating func uint16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    }

    /// Appends the low three bytes of `value`.
    public mutating func uint24(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value))
        uint8(UInt8(truncatingIfNeeded: value >> 16))
    }

    /// Appends four bytes.
    public mutating func uint32(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value))
        uint16(UInt16(truncatingIfNeeded: value >> 16))
    }

    /// Appends eight bytes.
    public mutating func uint64(_ value: UInt64) {
        uint32(UInt32(truncatingIfNeeded: value))
        uint32(UInt32(truncatingIfNeeded: value >> 32))
    }

    /// Appends what `view` covers.
    public mutating func append(_ view: ByteView) { bytes.append(contentsOf: view.unsafeBytes) }

    /// Appends the elements of a sequence.
    public mutating func append(_ sequence: some Sequence<UInt8>) { bytes.append(contentsOf: sequence) }

    /// Replaces the byte at `offset`, which was written before: for lengths and counts known only at the end.
    public mutating func set(_ value: UInt8, at offset: Int) { bytes[offset] = value }

    /// Replaces the two bytes at `offset`, which were written before.
    public mutating func set(_ value: UInt16, at offset: Int) {
        bytes[offset] = UInt8(truncatingIfNeeded: value)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }

    /// Calls `body` with a view of what was written.
    public func withByteView<Result>(_ body: (ByteView) -> Result) -> Result { bytes.withByteView(body) }
}
