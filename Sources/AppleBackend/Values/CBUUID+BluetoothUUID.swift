import BluetoothModel
import CoreBluetooth

extension BluetoothUUID {
    /// The UUID as an object of CoreBluetooth, in its shortest form.
    var coreBluetooth: CBUUID {
        if let short = shortValue {
            return CBUUID(data: Data([UInt8(short >> 8), UInt8(truncatingIfNeeded: short)]))
        }
        let octets = [high, low].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - $0 * 8)) }
        }
        return CBUUID(data: Data(octets))
    }

    /// Creates the UUID from one of CoreBluetooth in any form.
    init(_ uuid: CBUUID) {
        let octets = [UInt8](uuid.data)
        func number(_ octets: some Sequence<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
        if octets.count == 16 {
            self.init(high: number(octets[..<8]), low: number(octets[8...]))
        } else {
            self.init(UInt32(truncatingIfNeeded: number(octets)))
        }
    }
}

extension PeripheralID {
    /// Creates the identifier of a device from one of CoreBluetooth.
    init(_ uuid: UUID) {
        let (high, low) = withUnsafeBytes(of: uuid.uuid) { octets in
            (octets[..<8].reduce(0) { $0 << 8 | UInt64($1) }, octets[8...].reduce(0) { $0 << 8 | UInt64($1) })
        }
        self.init(high: high, low: low)
    }
}
