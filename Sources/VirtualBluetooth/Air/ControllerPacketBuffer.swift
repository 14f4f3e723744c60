import BluetoothHCI
import BluetoothModel

/// The shared buffer of an air, in which controllers write one packet at a time for their hosts.
final class ControllerPacketBuffer {
    private static let capacity = H4.maximumPacketLength
    private let base = UnsafeMutableRawPointer.allocate(byteCount: ControllerPacketBuffer.capacity, alignment: 16)
    private(set) var count = 0

    deinit { base.deallocate() }

    /// The bytes written since ``begin(_:)``.
    var view: ByteView { ByteView(UnsafeRawBufferPointer(start: base, count: count)) }

    func begin(_ type: HCIPacketType) {
        count = 0
        uint8(type.rawValue)
    }

    func uint8(_ value: UInt8) {
        precondition(count < Self.capacity, "the packet is too long")
        base.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    func int8(_ value: Int8) { uint8(UInt8(bitPattern: value)) }

    func uint16(_ value: UInt16) {
        uint8(UInt8(truncatingIfNeeded: value))
        uint8(UInt8(truncatingIfNeeded: value >> 8))
    }

    func uint32(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value))
        uint16(UInt16(truncatingIfNeeded: value >> 16))
    }

    func uint64(_ value: UInt64) {
        uint32(UInt32(truncatingIfNeeded: value))
        uint32(UInt32(truncatingIfNeeded: value >> 32))
    }

    /// Writes the six bytes of the address without its kind; zeros for nil.
    func address(_ address: BluetoothAddress?) {
        let value = address?.value ?? 0
        uint32(UInt32(truncatingIfNeeded: value))
        uint16(UInt16(truncatingIfNeeded: value >> 32))
    }

    func append(_ view: ByteView) {
        let source = view.unsafeBytes
        guard let start = source.baseAddress, source.count > 0 else { return }
        precondition(source.count <= Self.capacity - count, "the packet is too long")
        (base + count).copyMemory(from: start, byteCount: source.count)
        count += source.count
    }

    func append(_ bytes: [UInt8]) { bytes.withByteView { append($0) } }

    func zeros(_ number: Int) {
        for _ in 0..<number { uint8(0) }
    }

    /// Overwrites a byte written before.
    func set(_ value: UInt8, at offset: Int) {
        precondition(offset < count, "the offset is beyond the written bytes")
        base.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
    }
}
