import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

extension [String: BusValue] {
    /// The address of a device or of an adapter.
    var bluezAddress: BluetoothAddress? {
        self["Address"]?.text.flatMap {
            BluetoothAddress($0, kind: self["AddressType"]?.text == "random" ? .random : .public)
        }
    }
}

/// BlueZ's properties of a device, converted to the types of this package.
struct DeviceProperties {
    let properties: [String: BusValue]

    init(_ properties: [String: BusValue]) { self.properties = properties }

    var address: BluetoothAddress? { properties.bluezAddress }
    var id: PeripheralID? { address.map { PeripheralID($0) } }
    /// The name; not the alias, which BlueZ derives if there is no name.
    var name: String? { properties["Name"]?.text }
    /// The RSSI in dBm; only while a discovery receives the device.
    var rssi: Int? { properties["RSSI"]?.integer }
    var isConnected: Bool { properties["Connected"]?.bool ?? false }
    var isPaired: Bool { properties["Paired"]?.bool ?? false }
    var isBonded: Bool { properties["Bonded"]?.bool ?? isPaired }
    var areServicesResolved: Bool { properties["ServicesResolved"]?.bool ?? false }
    var serviceUUIDs: [BluetoothUUID] { (properties["UUIDs"]?.texts ?? []).compactMap { BluetoothUUID($0) } }

    /// The minimum security that BlueZ's properties imply: it reports the presence of keys, not their strength.
    var security: LinkSecurity {
        guard isConnected, isPaired else { return LinkSecurity() }
        return LinkSecurity(level: .encrypted, keySize: 7, isBonded: isBonded)
    }

    /// The advertising data, reassembled from BlueZ's properties; the order, and data that BlueZ does not show, are
    /// lost.
    var advertisement: AdvertisingData {
        var manufacturer: [ManufacturerData] = []
        if case .dictionary(let entries, _, _)? = properties["ManufacturerData"] {
            for (company, data) in entries {
                guard let company = company.integer, let bytes = data.bytes else { continue }
                let identifier = CompanyIdentifier(rawValue: UInt16(truncatingIfNeeded: company))
                manufacturer.append(ManufacturerData(company: identifier, data: bytes))
            }
        }
        var serviceData: [BluetoothUUID: [UInt8]] = [:]
        for (uuid, data) in properties["ServiceData"]?.properties ?? [:] {
            if let uuid = BluetoothUUID(uuid), let bytes = data.bytes { serviceData[uuid] = bytes }
        }
        let flags = properties["AdvertisingFlags"]?.bytes?.first.map { AdvertisingFlags(rawValue: $0) }
        return AdvertisingData(
            localName: name, serviceUUIDs: serviceUUIDs, flags: flags, serviceData: serviceData,
            manufacturerData: manufacturer.sorted { $0.company.rawValue < $1.company.rawValue },
            txPower: properties["TxPower"]?.integer.map { Int8(clamping: $0) },
            appearance: properties["Appearance"]?.integer.map { Appearance(rawValue: UInt16(truncatingIfNeeded: $0)) })
    }

    /// Returns the scan report of the device; nil if it has no address.
    func report(at time: RadioInstant) -> ScanReport? {
        guard let address else { return nil }
        return ScanReport(
            peripheral: PeripheralID(address), address: address, knownName: name, advertisement: advertisement,
            rssi: rssi, isConnectable: true, time: time)
    }

    /// The properties whose change means that the device was received.
    static let advertised: Set<String> = [
        "RSSI", "ManufacturerData", "ServiceData", "UUIDs", "Name", "TxPower", "Appearance", "AdvertisingData",
        "AdvertisingFlags",
    ]
}
