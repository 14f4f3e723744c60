/// A UUID of a service, characteristic or descriptor (Core 6.0, Vol 3, Part B, 2.5.1).
///
/// The 16-bit and 32-bit forms abbreviate UUIDs on the Bluetooth Base UUID `0000xxxx-0000-1000-8000-00805F9B34FB`. All
/// forms are stored as 128 bits, so equality does not depend on the form.
public struct BluetoothUUID: Sendable {
    /// The first eight bytes of the text form, as a number.
    public let high: UInt64
    /// The last eight bytes of the text form, as a number.
    public let low: UInt64

    /// Creates a UUID from its two halves, in the order of the text form.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a 16-bit UUID on the Bluetooth Base UUID.
    @inlinable
    public init(_ short: UInt16) { self.init(UInt32(short)) }

    /// Creates a 32-bit UUID on the Bluetooth Base UUID.
    @inlinable
    public init(_ medium: UInt32) {
        self.init(high: UInt64(medium) << 32 | 0x1000, low: 0x8000_0080_5F9B_34FB)
    }

    /// The 32-bit value on the Bluetooth Base UUID; nil for a vendor-specific UUID.
    @inlinable
    public var mediumValue: UInt32? {
        guard low == 0x8000_0080_5F9B_34FB, high & 0xFFFF_FFFF == 0x1000 else { return nil }
        return UInt32(truncatingIfNeeded: high >> 32)
    }

    /// The 16-bit value on the Bluetooth Base UUID; nil if there is none.
    @inlinable
    public var shortValue: UInt16? {
        guard low == 0x8000_0080_5F9B_34FB, high & 0xFFFF_0000_FFFF_FFFF == 0x1000 else { return nil }
        return UInt16(truncatingIfNeeded: high >> 32)
    }
}

extension BluetoothUUID: Hashable, Comparable {
    /// Returns true if all 128 bits are equal.
    @inlinable
    public static func == (left: BluetoothUUID, right: BluetoothUUID) -> Bool {
        left.high == right.high && left.low == right.low
    }

    /// Compares the text forms.
    @inlinable
    public static func < (left: BluetoothUUID, right: BluetoothUUID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Feeds both halves to the hasher.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }
}
