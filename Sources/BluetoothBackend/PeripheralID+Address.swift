import BluetoothModel

/// On platforms that show addresses, the identifier of a device contains its address, so that it is the same in every
/// run and on every such backend, without storage. It is a UUID of version 8 (RFC 9562, 5.8).
extension PeripheralID {
    /// "HARALD" and the version of the UUID.
    private static let prefix: UInt64 = 0x4841_5241_4C44_8000

    /// Creates the identifier of the device with this address.
    public init(_ address: BluetoothAddress) {
        let kind: UInt64 = address.kind == .random ? 1 : 0
        self.init(high: Self.prefix, low: 0x8000_0000_0000_0000 | kind << 48 | address.value)
    }

    /// The address that the identifier contains; nil if the platform hides addresses.
    public var address: BluetoothAddress? {
        guard high == Self.prefix, low >> 49 == 0x4000 else { return nil }
        return BluetoothAddress(value: low & 0xFFFF_FFFF_FFFF, kind: low >> 48 & 1 == 1 ? .random : .public)
    }
}
