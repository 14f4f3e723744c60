// The options of managers, scans and connections, and the keys of restored state.

/// True to alert the user when Bluetooth is powered off; has no effect on Linux.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The name, a `String`, under which the manager's state is stored for the next run.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// True to report every advertisement, an `NSNumber` or `Bool`; the default is false.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// Solicited services, a `[CBUUID]`: also reports devices that solicit one of them.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"
/// True to alert the user of the connection while the program is suspended; has no effect on Linux.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// True to alert the user of the disconnection while the program is suspended; has no effect on Linux.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// True to alert the user of notifications while the program is suspended; has no effect on Linux.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// The delay before connecting in seconds, an `NSNumber`.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// True to connect by Bluetooth Classic too; on Linux the connection fails with `operationNotSupported`.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// True if the device requires the Apple Notification Center Service; on Linux the connection fails with
/// `operationNotSupported`.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// The devices that were connected or being connected, a `[CBPeripheral]`.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// The services of the scan, a `[CBUUID]`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// The options of the scan, a `[String: Any]`.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"
/// True to alert the user when Bluetooth is powered off; has no effect on Linux.
public let CBPeripheralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The name, a `String`, under which the manager's state is stored for the next run.
public let CBPeripheralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// The services that were published, a `[CBMutableService]`.
public let CBPeripheralManagerRestoredStateServicesKey = "kCBRestoredServices"
/// The advertised data, a `[String: Any]`.
public let CBPeripheralManagerRestoredStateAdvertisementDataKey = "kCBRestoredAdvertisement"
/// True to connect again when the connection is lost, an `NSNumber` or `Bool`.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"
/// Has no meaning on Linux.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"
