import BluetoothModel
import Foundation

extension AdvertisingData {
    /// The advertisement data as the dictionary that the delegate receives.
    func dictionary(isConnectable: Bool) -> [String: Any] {
        var result: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
        if let localName { result[CBAdvertisementDataLocalNameKey] = localName }
        if let txPower { result[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: txPower) }
        let services = serviceUUIDs
        if !services.isEmpty { result[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID($0) } }
        let solicited = solicitedServiceUUIDs
        if !solicited.isEmpty { result[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicited.map { CBUUID($0) } }
        let serviceData = serviceData
        if !serviceData.isEmpty {
            result[CBAdvertisementDataServiceDataKey] = Dictionary(
                serviceData.map { (CBUUID($0.key), Data($0.value)) }, uniquingKeysWith: { first, _ in first })
        }
        if let first = self[.manufacturerSpecificData], first.count >= 2 {
            result[CBAdvertisementDataManufacturerDataKey] = Data(first)
        }
        return result
    }
}
