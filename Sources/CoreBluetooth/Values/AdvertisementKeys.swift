// The keys of the advertisement data, as `centralManager(_:didDiscover:advertisementData:rssi:)` passes it.

/// The advertised name, a `String`.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The transmit power in dBm, an `NSNumber`.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// The advertised services, a `[CBUUID]`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// The service data, a `[CBUUID: Data]`.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The manufacturer data, a `Data` that begins with the company identifier in two octets, least significant first.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// The overflow services, a `[CBUUID]`; never present on Linux, where nothing overflows.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// True if the device accepts connections, an `NSNumber`.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// The solicited services, a `[CBUUID]`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"
