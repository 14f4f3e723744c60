import BluetoothModel

/// Reports are parsed at fixed offsets after one length check, because they are most of the traffic of a busy
/// controller.
extension AdvertisingReport {
    /// Removes the next report of an LE Advertising Report event from `rest`; nil if it is truncated.
    @inline(__always)
    package static func legacy(_ rest: inout ByteView) -> AdvertisingReport? {
        guard rest.count >= 10 else { return nil }
        let length = Int(rest[8])
        guard rest.count >= 10 + length, let address = address(rest, typeAt: 1) else { return nil }
        defer { rest = rest.dropFirst(10 + length) }
        let properties: Properties =
            switch rest[0] {
            case 0: [.connectable, .scannable, .legacy]
            case 1: [.connectable, .directed, .legacy]
            case 2: [.scannable, .legacy]
            case 4: [.scannable, .scanResponse, .legacy]
            default: .legacy
            }
        return AdvertisingReport(
            address: address, isResolved: rest[1] >= 2, properties: properties, rssi: level(rest[9 + length]),
            data: rest.dropFirst(9).prefix(length))
    }

    /// Removes the next report of an LE Directed Advertising Report event from `rest`; nil if it is truncated.
    package static func directed(_ rest: inout ByteView) -> AdvertisingReport? {
        guard rest.count >= 16, let address = address(rest, typeAt: 1), let direct = self.address(rest, typeAt: 8)
        else {
            return nil
        }
        defer { rest = rest.dropFirst(16) }
        return AdvertisingReport(
            address: address, isResolved: rest[1] >= 2, properties: [.connectable, .directed, .legacy],
            rssi: level(rest[15]), directAddress: direct, data: .empty)
    }

    /// Removes the next report of an LE Extended Advertising Report event from `rest`; nil if it is truncated. The
    /// report itself is nil if the advertisement is anonymous.
    @inline(__always)
    package static func extended(_ rest: inout ByteView) -> (AdvertisingReport?, ExtendedReportAssembler.Status)? {
        guard rest.count >= 24 else { return nil }
        let length = Int(rest[23])
        guard rest.count >= 24 + length else { return nil }
        defer { rest = rest.dropFirst(24 + length) }
        let type = rest.uint16(at: 0)
        let status = ExtendedReportAssembler.Status(rawValue: UInt8(type >> 5 & 3)) ?? .truncated
        guard rest[2] <= 3, let address = address(rest, typeAt: 2) else { return (nil, status) }
        let properties = Properties(rawValue: UInt8(type & 0x1F))
        let sid = rest[11]
        return (
            AdvertisingReport(
                address: address, isResolved: rest[2] >= 2, properties: properties, rssi: level(rest[13]),
                txPower: level(rest[12]), primaryPHY: PHY(rawValue: rest[9]) ?? .le1M,
                secondaryPHY: PHY(rawValue: rest[10]), sid: sid <= 0x0F ? sid : nil,
                directAddress: properties.contains(.directed) ? self.address(rest, typeAt: 16) : nil,
                data: rest.dropFirst(24).prefix(length), isTruncated: status == .truncated), status
        )
    }

    /// Returns the address after an address type; even types are public, odd ones random.
    @inline(__always)
    private static func address(_ view: ByteView, typeAt offset: Int) -> BluetoothAddress? {
        BluetoothAddress(
            littleEndian: view.dropFirst(offset + 1).prefix(6), kind: view[offset] & 1 == 0 ? .public : .random)
    }

    /// Returns a power level in dBm; nil for 127, which means unknown.
    @inline(__always)
    private static func level(_ byte: UInt8) -> Int8? { byte == 127 ? nil : Int8(bitPattern: byte) }
}
