import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

extension [String: BusValue] {
    /// The address of a device or of an adapter.
    var bluezAddress: BluetoothAddress? {
        self["Address"]?.text.flatMap {
            BluetoothAddress($0, kind: self["AddressType"]?.text == "random" ? .random : .public)
        }
    }
}

/// What BlueZ says of a device, in our terms.
struct DeviceProperties {
    let properties: [String: BusValue]

    init(_ properties: [String: BusValue]) { self.properties = properties }

    var address: BluetoothAddress? { properties.bluezAddress }
    var id: PeripheralID? { address.map { PeripheralID($0) } }
    /// Not the alias, which BlueZ makes up where there is no name.
    var name: String? { properties["Name"]?.text }
    /// In dBm; only while a discovery hears the device.
    var rssi: Int? { properties["RSSI"]?.integer }
    var isConnected: Bool { properties["Connected"]?.bool ?? false }
    var isPaired: Bool { properties["Paired"]?.bool ?? false }
    var isBonded: Bool { properties["Bonded"]?.bool ?? isPaired }
    var areServicesResolved: Bool { properties["ServicesResolved"]?.bool ?? false }
    var serviceUUIDs: [BluetoothUUID] { (properties["UUIDs"]?.texts ?? []).compactMap { BluetoothUUID($0) } }

    /// BlueZ says whether there are keys, not what they are worth: the least that it can mean.
    var security: LinkSecurity {
        guard isConnected, isPaired else { return LinkSecurity() }
        return LinkSecurity(level: .encrypted, keySize: 7, isBonded: isBonded)
    }

    /// The advertisement, put together again from what BlueZ took apart; the order and what it does not show are lost.
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

    /// The device as a scan shows it; nil where it has no address.
    func report(at time: RadioInstant) -> ScanReport? {
        guard let address else { return nil }
        return ScanReport(
            peripheral: PeripheralID(address), address: address, knownName: name, advertisement: advertisement,
            rssi: rssi, isConnectable: true, time: time)
    }

    /// Whether a change of this property means that the device was heard.
    static let advertised: Set<String> = [
        "RSSI", "ManufacturerData", "ServiceData", "UUIDs", "Name", "TxPower", "Appearance", "AdvertisingData",
        "AdvertisingFlags",
    ]
}
