import CoreBluetooth
import CoreFoundation
import Testing

// Written by Scripts/generate-api-surface.

@available(*, deprecated)
func checkInitializers(_ surface: Surface) {
    surface.check(
        "CBCentralManagerState.init(rawValue:)", CBCentralManagerState.init(rawValue:),
        ((Int) -> CBCentralManagerState?).self)
    surface.check(
        "CBConnectionEvent.init(rawValue:)", CBConnectionEvent.init(rawValue:), ((Int) -> CBConnectionEvent?).self)
    surface.check(
        "CBCentralManager.Feature.init(rawValue:)", CBCentralManager.Feature.init(rawValue:),
        ((UInt) -> CBCentralManager.Feature).self)
    surface.check(
        "CBCentralManager.init(delegate:queue:)", CBCentralManager.init(delegate:queue:),
        (((any CBCentralManagerDelegate)?, DispatchQueue?) -> CBCentralManager).self)
    surface.check(
        "CBCentralManager.init(delegate:queue:options:)", CBCentralManager.init(delegate:queue:options:),
        (((any CBCentralManagerDelegate)?, DispatchQueue?, [String: Any]?) -> CBCentralManager).self)
    let _: ((any CBCentralManagerDelegate)?, DispatchQueue?) -> CBCentralManager = {
        CBCentralManager(delegate: $0, queue: $1)
    }
    surface.check(
        "CBConnectionEventMatchingOption.init(rawValue:)", CBConnectionEventMatchingOption.init(rawValue:),
        ((String) -> CBConnectionEventMatchingOption).self)
    surface.check(
        "CBCharacteristicProperties.init(rawValue:)", CBCharacteristicProperties.init(rawValue:),
        ((UInt) -> CBCharacteristicProperties).self)
    surface.check(
        "CBAttributePermissions.init(rawValue:)", CBAttributePermissions.init(rawValue:),
        ((UInt) -> CBAttributePermissions).self)
    surface.check(
        "CBMutableCharacteristic.init(type:properties:value:permissions:)",
        CBMutableCharacteristic.init(type:properties:value:permissions:),
        ((CBUUID, CBCharacteristicProperties, Data?, CBAttributePermissions) -> CBMutableCharacteristic).self)
    surface.check(
        "CBMutableDescriptor.init(type:value:)", CBMutableDescriptor.init(type:value:),
        ((CBUUID, Any?) -> CBMutableDescriptor).self)
    surface.check("CBManagerState.init(rawValue:)", CBManagerState.init(rawValue:), ((Int) -> CBManagerState?).self)
    surface.check(
        "CBManagerAuthorization.init(rawValue:)", CBManagerAuthorization.init(rawValue:),
        ((Int) -> CBManagerAuthorization?).self)
    surface.check(
        "CBPeripheralState.init(rawValue:)", CBPeripheralState.init(rawValue:), ((Int) -> CBPeripheralState?).self)
    surface.check(
        "CBCharacteristicWriteType.init(rawValue:)", CBCharacteristicWriteType.init(rawValue:),
        ((Int) -> CBCharacteristicWriteType?).self)
    surface.check(
        "CBPeripheralManagerAuthorizationStatus.init(rawValue:)",
        CBPeripheralManagerAuthorizationStatus.init(rawValue:), ((Int) -> CBPeripheralManagerAuthorizationStatus?).self)
    surface.check(
        "CBPeripheralManagerState.init(rawValue:)", CBPeripheralManagerState.init(rawValue:),
        ((Int) -> CBPeripheralManagerState?).self)
    surface.check(
        "CBPeripheralManagerConnectionLatency.init(rawValue:)", CBPeripheralManagerConnectionLatency.init(rawValue:),
        ((Int) -> CBPeripheralManagerConnectionLatency?).self)
    surface.check(
        "CBPeripheralManager.init(delegate:queue:)", CBPeripheralManager.init(delegate:queue:),
        (((any CBPeripheralManagerDelegate)?, DispatchQueue?) -> CBPeripheralManager).self)
    surface.check(
        "CBPeripheralManager.init(delegate:queue:options:)", CBPeripheralManager.init(delegate:queue:options:),
        (((any CBPeripheralManagerDelegate)?, DispatchQueue?, [String: Any]?) -> CBPeripheralManager).self)
    let _: ((any CBPeripheralManagerDelegate)?, DispatchQueue?) -> CBPeripheralManager = {
        CBPeripheralManager(delegate: $0, queue: $1)
    }
    surface.check(
        "CBMutableService.init(type:primary:)", CBMutableService.init(type:primary:),
        ((CBUUID, Bool) -> CBMutableService).self)
    surface.check("CBUUID.init(string:)", CBUUID.init(string:), ((String) -> CBUUID).self)
    surface.check("CBUUID.init(data:)", CBUUID.init(data:), ((Data) -> CBUUID).self)
    surface.check("CBUUID.init(cfuuid:)", CBUUID.init(cfuuid:), ((CFUUID) -> CBUUID).self)
    surface.check("CBUUID.init(nsuuid:)", CBUUID.init(nsuuid:), ((UUID) -> CBUUID).self)
    surface.check(
        "CBError.init(_:userInfo:)", CBError.init(_:userInfo:), ((CBError.Code, [String: Any]) -> CBError).self)
    let _: (CBError.Code) -> CBError = { CBError($0) }
    surface.check(
        "CBATTError.init(_:userInfo:)", CBATTError.init(_:userInfo:),
        ((CBATTError.Code, [String: Any]) -> CBATTError).self)
    let _: (CBATTError.Code) -> CBATTError = { CBATTError($0) }
    surface.check(
        "CBCentralManager.init()", CBCentralManager.init as () -> CBCentralManager, (() -> CBCentralManager).self)
    surface.check(
        "CBPeripheralManager.init()", CBPeripheralManager.init as () -> CBPeripheralManager,
        (() -> CBPeripheralManager).self)
    surface.check(
        "CBChannelSoundingSessionConfiguration.init(role:)", CBChannelSoundingSessionConfiguration.init(role:),
        ((CBChannelSoundingSessionConfiguration.Role) -> CBChannelSoundingSessionConfiguration).self)
    surface.check("CBUUID.init()", CBUUID.init as () -> CBUUID, (() -> CBUUID).self)
}
