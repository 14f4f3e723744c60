import BluetoothModel
import CoreBluetooth

extension AdvertisingData {
    /// Creates advertising data from CoreBluetooth's dictionary. Flags and all types without a key are missing.
    init(coreBluetooth dictionary: [String: Any]) {
        func services(_ key: String) -> [BluetoothUUID] {
            (dictionary[key] as? [CBUUID] ?? []).map { BluetoothUUID($0) }
        }
        let data = dictionary[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        self.init(
            localName: dictionary[CBAdvertisementDataLocalNameKey] as? String,
            serviceUUIDs: services(CBAdvertisementDataServiceUUIDsKey)
                + services(CBAdvertisementDataOverflowServiceUUIDsKey),
            solicitedServiceUUIDs: services(CBAdvertisementDataSolicitedServiceUUIDsKey),
            serviceData: Dictionary(
                data.map { (BluetoothUUID($0.key), [UInt8]($0.value)) }, uniquingKeysWith: { first, _ in first }),
            txPower: (dictionary[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)
                .flatMap { Int8(exactly: $0.intValue) })
        if let bytes = dictionary[CBAdvertisementDataManufacturerDataKey] as? Data {
            self[.manufacturerSpecificData] = [UInt8](bytes)
        }
    }
}

extension [UInt8] {
    /// Creates bytes from a descriptor's value, whose type depends on the descriptor.
    init(descriptorValue value: Any?) {
        switch value {
        case let data as Data: self = .init(data)
        case let text as String: self = .init(text.utf8)
        case let number as NSNumber:
            let bits = number.uint16Value
            self = [UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8)]
        default: self = []
        }
    }
}
