import CoreBluetooth
import Testing

// Written by Scripts/generate-api-surface.

@available(*, deprecated)
func checkProperties(_ surface: Surface) {
    surface.check("CBATTRequest.central", \CBATTRequest.central, KeyPath<CBATTRequest, CBCentral>.self)
    surface.check(
        "CBATTRequest.characteristic", \CBATTRequest.characteristic, KeyPath<CBATTRequest, CBCharacteristic>.self)
    surface.check("CBATTRequest.offset", \CBATTRequest.offset, KeyPath<CBATTRequest, Int>.self)
    surface.check("CBATTRequest.value", \CBATTRequest.value, ReferenceWritableKeyPath<CBATTRequest, Data?>.self)
    surface.check("CBAttribute.uuid", \CBAttribute.uuid, KeyPath<CBAttribute, CBUUID>.self)
    surface.check(
        "CBCentral.maximumUpdateValueLength", \CBCentral.maximumUpdateValueLength, KeyPath<CBCentral, Int>.self)
    surface.check(
        "CBCentralManagerState.rawValue", \CBCentralManagerState.rawValue, KeyPath<CBCentralManagerState, Int>.self)
    surface.check("CBConnectionEvent.rawValue", \CBConnectionEvent.rawValue, KeyPath<CBConnectionEvent, Int>.self)
    surface.check(
        "CBCentralManager.Feature.rawValue", \CBCentralManager.Feature.rawValue,
        KeyPath<CBCentralManager.Feature, UInt>.self)
    surface.check(
        "CBCentralManager.delegate", \CBCentralManager.delegate,
        ReferenceWritableKeyPath<CBCentralManager, (any CBCentralManagerDelegate)?>.self)
    surface.check("CBCentralManager.isScanning", \CBCentralManager.isScanning, KeyPath<CBCentralManager, Bool>.self)
    surface.check(
        "CBConnectionEventMatchingOption.rawValue", \CBConnectionEventMatchingOption.rawValue,
        KeyPath<CBConnectionEventMatchingOption, String>.self)
    surface.check(
        "CBCharacteristicProperties.rawValue", \CBCharacteristicProperties.rawValue,
        KeyPath<CBCharacteristicProperties, UInt>.self)
    surface.check("CBCharacteristic.service", \CBCharacteristic.service, KeyPath<CBCharacteristic, CBService?>.self)
    surface.check(
        "CBCharacteristic.properties", \CBCharacteristic.properties,
        KeyPath<CBCharacteristic, CBCharacteristicProperties>.self)
    surface.check("CBCharacteristic.value", \CBCharacteristic.value, KeyPath<CBCharacteristic, Data?>.self)
    surface.check(
        "CBCharacteristic.descriptors", \CBCharacteristic.descriptors, KeyPath<CBCharacteristic, [CBDescriptor]?>.self)
    surface.check(
        "CBCharacteristic.isBroadcasted", \CBCharacteristic.isBroadcasted, KeyPath<CBCharacteristic, Bool>.self)
    surface.check("CBCharacteristic.isNotifying", \CBCharacteristic.isNotifying, KeyPath<CBCharacteristic, Bool>.self)
    surface.check(
        "CBAttributePermissions.rawValue", \CBAttributePermissions.rawValue, KeyPath<CBAttributePermissions, UInt>.self)
    surface.check(
        "CBMutableCharacteristic.permissions", \CBMutableCharacteristic.permissions,
        ReferenceWritableKeyPath<CBMutableCharacteristic, CBAttributePermissions>.self)
    surface.check(
        "CBMutableCharacteristic.subscribedCentrals", \CBMutableCharacteristic.subscribedCentrals,
        KeyPath<CBMutableCharacteristic, [CBCentral]?>.self)
    surface.check(
        "CBDescriptor.characteristic", \CBDescriptor.characteristic, KeyPath<CBDescriptor, CBCharacteristic?>.self)
    surface.check("CBDescriptor.value", \CBDescriptor.value, KeyPath<CBDescriptor, Any?>.self)
    let _: (CBL2CAPChannel) -> CBPeer = { $0.peer }
    surface.check("CBL2CAPChannel.peer", \CBL2CAPChannel.peer, KeyPath<CBL2CAPChannel, CBPeer?>.self)
    let _: (CBL2CAPChannel) -> InputStream = { $0.inputStream }
    surface.check("CBL2CAPChannel.inputStream", \CBL2CAPChannel.inputStream, KeyPath<CBL2CAPChannel, InputStream?>.self)
    let _: (CBL2CAPChannel) -> OutputStream = { $0.outputStream }
    surface.check(
        "CBL2CAPChannel.outputStream", \CBL2CAPChannel.outputStream, KeyPath<CBL2CAPChannel, OutputStream?>.self)
    surface.check("CBL2CAPChannel.psm", \CBL2CAPChannel.psm, KeyPath<CBL2CAPChannel, CBL2CAPPSM>.self)
    surface.check("CBManager.state", \CBManager.state, KeyPath<CBManager, CBManagerState>.self)
    surface.check("CBManager.authorization", \CBManager.authorization, KeyPath<CBManager, CBManagerAuthorization>.self)
    surface.check("CBManagerState.rawValue", \CBManagerState.rawValue, KeyPath<CBManagerState, Int>.self)
    surface.check(
        "CBManagerAuthorization.rawValue", \CBManagerAuthorization.rawValue, KeyPath<CBManagerAuthorization, Int>.self)
    surface.check("CBPeer.identifier", \CBPeer.identifier, KeyPath<CBPeer, UUID>.self)
    surface.check("CBPeripheralState.rawValue", \CBPeripheralState.rawValue, KeyPath<CBPeripheralState, Int>.self)
    surface.check(
        "CBCharacteristicWriteType.rawValue", \CBCharacteristicWriteType.rawValue,
        KeyPath<CBCharacteristicWriteType, Int>.self)
    surface.check(
        "CBPeripheral.delegate", \CBPeripheral.delegate,
        ReferenceWritableKeyPath<CBPeripheral, (any CBPeripheralDelegate)?>.self)
    surface.check("CBPeripheral.name", \CBPeripheral.name, KeyPath<CBPeripheral, String?>.self)
    surface.check("CBPeripheral.rssi", \CBPeripheral.rssi, KeyPath<CBPeripheral, NSNumber?>.self)
    surface.check("CBPeripheral.state", \CBPeripheral.state, KeyPath<CBPeripheral, CBPeripheralState>.self)
    surface.check("CBPeripheral.services", \CBPeripheral.services, KeyPath<CBPeripheral, [CBService]?>.self)
    surface.check(
        "CBPeripheral.canSendWriteWithoutResponse", \CBPeripheral.canSendWriteWithoutResponse,
        KeyPath<CBPeripheral, Bool>.self)
    surface.check("CBPeripheral.ancsAuthorized", \CBPeripheral.ancsAuthorized, KeyPath<CBPeripheral, Bool>.self)
    surface.check(
        "CBPeripheralManagerAuthorizationStatus.rawValue", \CBPeripheralManagerAuthorizationStatus.rawValue,
        KeyPath<CBPeripheralManagerAuthorizationStatus, Int>.self)
    surface.check(
        "CBPeripheralManagerState.rawValue", \CBPeripheralManagerState.rawValue,
        KeyPath<CBPeripheralManagerState, Int>.self)
    surface.check(
        "CBPeripheralManagerConnectionLatency.rawValue", \CBPeripheralManagerConnectionLatency.rawValue,
        KeyPath<CBPeripheralManagerConnectionLatency, Int>.self)
    surface.check(
        "CBPeripheralManager.delegate", \CBPeripheralManager.delegate,
        ReferenceWritableKeyPath<CBPeripheralManager, (any CBPeripheralManagerDelegate)?>.self)
    surface.check(
        "CBPeripheralManager.isAdvertising", \CBPeripheralManager.isAdvertising, KeyPath<CBPeripheralManager, Bool>.self
    )
    surface.check("CBService.peripheral", \CBService.peripheral, KeyPath<CBService, CBPeripheral?>.self)
    surface.check("CBService.isPrimary", \CBService.isPrimary, KeyPath<CBService, Bool>.self)
    surface.check("CBService.includedServices", \CBService.includedServices, KeyPath<CBService, [CBService]?>.self)
    surface.check("CBService.characteristics", \CBService.characteristics, KeyPath<CBService, [CBCharacteristic]?>.self)
    surface.check("CBUUID.data", \CBUUID.data, KeyPath<CBUUID, Data>.self)
    surface.check("CBUUID.uuidString", \CBUUID.uuidString, KeyPath<CBUUID, String>.self)
    surface.check("CBError.code", \CBError.code, KeyPath<CBError, CBError.Code>.self)
    surface.check("CBError.userInfo", \CBError.userInfo, KeyPath<CBError, [String: Any]>.self)
    surface.check("CBError.errorCode", \CBError.errorCode, KeyPath<CBError, Int>.self)
    surface.check("CBError.errorUserInfo", \CBError.errorUserInfo, KeyPath<CBError, [String: Any]>.self)
    surface.check("CBATTError.code", \CBATTError.code, KeyPath<CBATTError, CBATTError.Code>.self)
    surface.check("CBATTError.userInfo", \CBATTError.userInfo, KeyPath<CBATTError, [String: Any]>.self)
    surface.check("CBATTError.errorCode", \CBATTError.errorCode, KeyPath<CBATTError, Int>.self)
    surface.check("CBATTError.errorUserInfo", \CBATTError.errorUserInfo, KeyPath<CBATTError, [String: Any]>.self)
    surface.check(
        "CBMutableService.includedServices", \CBMutableService.includedServices,
        ReferenceWritableKeyPath<CBMutableService, [CBService]?>.self)
    surface.check(
        "CBMutableService.characteristics", \CBMutableService.characteristics,
        ReferenceWritableKeyPath<CBMutableService, [CBCharacteristic]?>.self)
    surface.check(
        "CBMutableCharacteristic.properties", \CBMutableCharacteristic.properties,
        ReferenceWritableKeyPath<CBMutableCharacteristic, CBCharacteristicProperties>.self)
    surface.check(
        "CBMutableCharacteristic.value", \CBMutableCharacteristic.value,
        ReferenceWritableKeyPath<CBMutableCharacteristic, Data?>.self)
    surface.check(
        "CBMutableCharacteristic.descriptors", \CBMutableCharacteristic.descriptors,
        ReferenceWritableKeyPath<CBMutableCharacteristic, [CBDescriptor]?>.self)
    surface.check(
        "CBChannelSoundingProcedureResults.distance", \CBChannelSoundingProcedureResults.distance,
        KeyPath<CBChannelSoundingProcedureResults, Double>.self)
    surface.check(
        "CBChannelSoundingSessionConfiguration.role", \CBChannelSoundingSessionConfiguration.role,
        KeyPath<CBChannelSoundingSessionConfiguration, CBChannelSoundingSessionConfiguration.Role>.self)
}
