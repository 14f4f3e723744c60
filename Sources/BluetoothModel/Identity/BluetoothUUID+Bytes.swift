extension BluetoothUUID {
    /// Creates a UUID from 2, 4 or 16 bytes, least significant first; nil for another number of bytes.
    @inlinable
    public init?(littleEndian view: ByteView) {
        switch view.count {
        case 2:
            self.init(view.uint16(at: 0))
        case 4:
            self.init(UInt32(view.uint16(at: 0)) | UInt32(view.uint16(at: 2)) << 16)
        case 16:
            let bytes = view.unsafeBytes
            self.init(
                high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)))
        default:
            return nil
        }
    }

    /// The number of bytes in ATT packets, which have only the 2-byte and 16-byte forms.
    @inlinable
    public var attLength: Int { shortValue == nil ? 16 : 2 }

    /// Appends the shortest form of ATT, 2 or 16 bytes, least significant first.
    public func write(to writer: inout ByteWriter) {
        if let shortValue {
            writer.uint16(shortValue)
        } else {
            write128(to: &writer)
        }
    }

    /// Appends all 16 bytes, least significant first.
    public func write128(to writer: inout ByteWriter) {
        writer.uint64(low)
        writer.uint64(high)
    }

    /// Returns true if the bytes, least significant first, are this UUID in any form.
    @inlinable
    public func matches(littleEndian view: ByteView) -> Bool { BluetoothUUID(littleEndian: view) == self }
}
