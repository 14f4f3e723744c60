import BluetoothModel
import BluetoothProfiles
import CoreBluetooth
import Foundation
import HaraldDevices

extension AdvertisedValue {
    /// Returns the values of known formats, such as the readings of a thermometer, in the advertisement of
    /// `centralManager(_:didDiscover:advertisementData:rssi:)`.
    ///
    /// Apple's systems hide beacons of Apple's format, and the addresses that encrypted formats need.
    /// - Parameter name: the name of the device, if the advertisement has none.
    public static func values(in advertisementData: [String: Any], name: String? = nil) -> [AdvertisedValue] {
        var data = AdvertisingData()
        data.localName = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? name
        let services = advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:]
        data.serviceData = Dictionary(
            services.map { ($0.key.declared, Array($0.value)) }, uniquingKeysWith: { first, _ in first })
        if let bytes = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data {
            data.append(.init(type: .manufacturerSpecificData, data: Array(bytes)))
        }
        return data.values
    }
}
