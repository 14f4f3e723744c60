import CoreBluetooth
import HaraldDevices

extension CBUUID {
    /// The UUID as used by declarations.
    public var declared: BluetoothUUID {
        // 2, 4 or 16 octets, most significant first.
        let octets = data.count == 16 ? Array(data) : Array(repeating: 0, count: 4 - data.count) + Array(data)
        func number(_ octets: some Sequence<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
        if octets.count == 16 { return BluetoothUUID(high: number(octets[..<8]), low: number(octets[8...])) }
        return BluetoothUUID(UInt32(truncatingIfNeeded: number(octets)))
    }

    /// Creates the CoreBluetooth UUID of a declared UUID.
    public convenience init(declared uuid: BluetoothUUID) { self.init(string: uuid.description) }
}

extension DeviceDeclaration {
    /// The services of the declaration, for `discoverServices(_:)`.
    public static var serviceUUIDs: [CBUUID] {
        DeclaredService.all(of: Self()).map { CBUUID(declared: $0.service.uuid) }
    }

    /// Returns true if an advertisement is from such a device.
    public static func matches(_ peripheral: CBPeripheral, advertisementData: [String: Any]) -> Bool {
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        return matches(name: name ?? peripheral.name, services: services.map(\.declared))
    }
}
