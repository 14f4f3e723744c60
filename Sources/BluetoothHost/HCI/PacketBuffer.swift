import BluetoothModel

/// A reusable buffer for the packet that is being sent, which avoids allocations and unnecessary copies.
final class PacketBuffer {
    /// The memory, `capacity` bytes long.
    let bytes: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        bytes = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { bytes.deallocate() }

    /// Returns a view of the first `count` bytes.
    func view(_ count: Int) -> ByteView {
        precondition(count <= capacity, "the packet is longer than its buffer")
        return ByteView(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Stores a little-endian 16-bit integer.
    @inline(__always)
    func set(_ value: UInt16, at offset: Int) {
        precondition(offset + 2 <= capacity, "beyond the packet buffer")
        bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Copies bytes to `offset`.
    @inline(__always)
    func copy(_ source: UnsafeRawBufferPointer, at offset: Int) {
        precondition(offset + source.count <= capacity, "beyond the packet buffer")
        guard let base = source.baseAddress, !source.isEmpty else { return }
        (bytes + offset).copyMemory(from: base, byteCount: source.count)
    }
}
