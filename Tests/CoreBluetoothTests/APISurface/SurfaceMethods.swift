import CoreBluetooth
import Testing

// Written by Scripts/generate-api-surface.

@available(*, deprecated)
func checkMethods(_ surface: Surface) {
    surface.check(
        "CBCentralManager.supports(_:)", CBCentralManager.supports(_:), ((CBCentralManager.Feature) -> Bool).self)
    surface.check(
        "CBCentralManager.retrievePeripherals(withIdentifiers:)",
        CBCentralManager.retrievePeripherals(withIdentifiers:), ((CBCentralManager) -> ([UUID]) -> [CBPeripheral]).self)
    surface.check(
        "CBCentralManager.retrieveConnectedPeripherals(withServices:)",
        CBCentralManager.retrieveConnectedPeripherals(withServices:),
        ((CBCentralManager) -> ([CBUUID]) -> [CBPeripheral]).self)
    surface.check(
        "CBCentralManager.scanForPeripherals(withServices:options:)",
        CBCentralManager.scanForPeripherals(withServices:options:),
        ((CBCentralManager) -> ([CBUUID]?, [String: Any]?) -> Void).self)
    let _: (CBCentralManager, [CBUUID]?) -> Void = { $0.scanForPeripherals(withServices: $1) }
    surface.check("CBCentralManager.stopScan()", CBCentralManager.stopScan, ((CBCentralManager) -> () -> Void).self)
    surface.check(
        "CBCentralManager.connect(_:options:)", CBCentralManager.connect(_:options:),
        ((CBCentralManager) -> (CBPeripheral, [String: Any]?) -> Void).self)
    let _: (CBCentralManager, CBPeripheral) -> Void = { $0.connect($1) }
    surface.check(
        "CBCentralManager.cancelPeripheralConnection(_:)", CBCentralManager.cancelPeripheralConnection(_:),
        ((CBCentralManager) -> (CBPeripheral) -> Void).self)
    surface.check(
        "CBCentralManager.registerForConnectionEvents(options:)",
        CBCentralManager.registerForConnectionEvents(options:),
        ((CBCentralManager) -> ([CBConnectionEventMatchingOption: Any]?) -> Void).self)
    let _: (CBCentralManager) -> Void = { $0.registerForConnectionEvents() }
    surface.check(
        "CBCentralManagerDelegate.centralManagerDidUpdateState(_:)", CentralProbe.centralManagerDidUpdateState(_:),
        ((CentralProbe) -> (CBCentralManager) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:willRestoreState:)",
        CentralProbe.centralManager(_:willRestoreState:),
        ((CentralProbe) -> (CBCentralManager, [String: Any]) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:didDiscover:advertisementData:rssi:)",
        CentralProbe.centralManager(_:didDiscover:advertisementData:rssi:),
        ((CentralProbe) -> (CBCentralManager, CBPeripheral, [String: Any], NSNumber) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:didConnect:)", CentralProbe.centralManager(_:didConnect:),
        ((CentralProbe) -> (CBCentralManager, CBPeripheral) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:didFailToConnect:error:)",
        CentralProbe.centralManager(_:didFailToConnect:error:),
        ((CentralProbe) -> (CBCentralManager, CBPeripheral, (any Error)?) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:didDisconnectPeripheral:error:)",
        CentralProbe.centralManager(_:didDisconnectPeripheral:error:),
        ((CentralProbe) -> (CBCentralManager, CBPeripheral, (any Error)?) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:connectionEventDidOccur:for:)",
        CentralProbe.centralManager(_:connectionEventDidOccur:for:),
        ((CentralProbe) -> (CBCentralManager, CBConnectionEvent, CBPeripheral) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:didUpdateANCSAuthorizationFor:)",
        CentralProbe.centralManager(_:didUpdateANCSAuthorizationFor:),
        ((CentralProbe) -> (CBCentralManager, CBPeripheral) -> Void).self)
    surface.check("CBPeripheral.readRSSI()", CBPeripheral.readRSSI, ((CBPeripheral) -> () -> Void).self)
    surface.check(
        "CBPeripheral.discoverServices(_:)", CBPeripheral.discoverServices(_:),
        ((CBPeripheral) -> ([CBUUID]?) -> Void).self)
    surface.check(
        "CBPeripheral.discoverIncludedServices(_:for:)", CBPeripheral.discoverIncludedServices(_:for:),
        ((CBPeripheral) -> ([CBUUID]?, CBService) -> Void).self)
    surface.check(
        "CBPeripheral.discoverCharacteristics(_:for:)", CBPeripheral.discoverCharacteristics(_:for:),
        ((CBPeripheral) -> ([CBUUID]?, CBService) -> Void).self)
    surface.check(
        "CBPeripheral.readValue(for:)", CBPeripheral.readValue(for:) as (CBPeripheral) -> (CBCharacteristic) -> Void,
        ((CBPeripheral) -> (CBCharacteristic) -> Void).self)
    surface.check(
        "CBPeripheral.maximumWriteValueLength(for:)", CBPeripheral.maximumWriteValueLength(for:),
        ((CBPeripheral) -> (CBCharacteristicWriteType) -> Int).self)
    surface.check(
        "CBPeripheral.writeValue(_:for:type:)", CBPeripheral.writeValue(_:for:type:),
        ((CBPeripheral) -> (Data, CBCharacteristic, CBCharacteristicWriteType) -> Void).self)
    surface.check(
        "CBPeripheral.setNotifyValue(_:for:)", CBPeripheral.setNotifyValue(_:for:),
        ((CBPeripheral) -> (Bool, CBCharacteristic) -> Void).self)
    surface.check(
        "CBPeripheral.discoverDescriptors(for:)", CBPeripheral.discoverDescriptors(for:),
        ((CBPeripheral) -> (CBCharacteristic) -> Void).self)
    surface.check(
        "CBPeripheral.readValue(for:)", CBPeripheral.readValue(for:) as (CBPeripheral) -> (CBDescriptor) -> Void,
        ((CBPeripheral) -> (CBDescriptor) -> Void).self)
    surface.check(
        "CBPeripheral.writeValue(_:for:)", CBPeripheral.writeValue(_:for:),
        ((CBPeripheral) -> (Data, CBDescriptor) -> Void).self)
    surface.check(
        "CBPeripheral.openL2CAPChannel(_:)", CBPeripheral.openL2CAPChannel(_:),
        ((CBPeripheral) -> (CBL2CAPPSM) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheralDidUpdateName(_:)", PeripheralProbe.peripheralDidUpdateName(_:),
        ((PeripheralProbe) -> (CBPeripheral) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didModifyServices:)", PeripheralProbe.peripheral(_:didModifyServices:),
        ((PeripheralProbe) -> (CBPeripheral, [CBService]) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheralDidUpdateRSSI(_:error:)", PeripheralProbe.peripheralDidUpdateRSSI(_:error:),
        ((PeripheralProbe) -> (CBPeripheral, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didReadRSSI:error:)", PeripheralProbe.peripheral(_:didReadRSSI:error:),
        ((PeripheralProbe) -> (CBPeripheral, NSNumber, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didDiscoverServices:)", PeripheralProbe.peripheral(_:didDiscoverServices:),
        ((PeripheralProbe) -> (CBPeripheral, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didDiscoverIncludedServicesFor:error:)",
        PeripheralProbe.peripheral(_:didDiscoverIncludedServicesFor:error:),
        ((PeripheralProbe) -> (CBPeripheral, CBService, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didDiscoverCharacteristicsFor:error:)",
        PeripheralProbe.peripheral(_:didDiscoverCharacteristicsFor:error:),
        ((PeripheralProbe) -> (CBPeripheral, CBService, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didUpdateValueFor:error:)",
        PeripheralProbe.peripheral(_:didUpdateValueFor:error:)
            as (PeripheralProbe) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void,
        ((PeripheralProbe) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didWriteValueFor:error:)",
        PeripheralProbe.peripheral(_:didWriteValueFor:error:)
            as (PeripheralProbe) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void,
        ((PeripheralProbe) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didUpdateNotificationStateFor:error:)",
        PeripheralProbe.peripheral(_:didUpdateNotificationStateFor:error:),
        ((PeripheralProbe) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didDiscoverDescriptorsFor:error:)",
        PeripheralProbe.peripheral(_:didDiscoverDescriptorsFor:error:),
        ((PeripheralProbe) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didUpdateValueFor:error:)",
        PeripheralProbe.peripheral(_:didUpdateValueFor:error:)
            as (PeripheralProbe) -> (CBPeripheral, CBDescriptor, (any Error)?) -> Void,
        ((PeripheralProbe) -> (CBPeripheral, CBDescriptor, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didWriteValueFor:error:)",
        PeripheralProbe.peripheral(_:didWriteValueFor:error:)
            as (PeripheralProbe) -> (CBPeripheral, CBDescriptor, (any Error)?) -> Void,
        ((PeripheralProbe) -> (CBPeripheral, CBDescriptor, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheralIsReady(toSendWriteWithoutResponse:)",
        PeripheralProbe.peripheralIsReady(toSendWriteWithoutResponse:),
        ((PeripheralProbe) -> (CBPeripheral) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didOpen:error:)", PeripheralProbe.peripheral(_:didOpen:error:),
        ((PeripheralProbe) -> (CBPeripheral, CBL2CAPChannel?, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralManager.authorizationStatus()", CBPeripheralManager.authorizationStatus,
        (() -> CBPeripheralManagerAuthorizationStatus).self)
    surface.check(
        "CBPeripheralManager.startAdvertising(_:)", CBPeripheralManager.startAdvertising(_:),
        ((CBPeripheralManager) -> ([String: Any]?) -> Void).self)
    surface.check(
        "CBPeripheralManager.stopAdvertising()", CBPeripheralManager.stopAdvertising,
        ((CBPeripheralManager) -> () -> Void).self)
    surface.check(
        "CBPeripheralManager.setDesiredConnectionLatency(_:for:)",
        CBPeripheralManager.setDesiredConnectionLatency(_:for:),
        ((CBPeripheralManager) -> (CBPeripheralManagerConnectionLatency, CBCentral) -> Void).self)
    surface.check(
        "CBPeripheralManager.add(_:)", CBPeripheralManager.add(_:),
        ((CBPeripheralManager) -> (CBMutableService) -> Void).self)
    surface.check(
        "CBPeripheralManager.remove(_:)", CBPeripheralManager.remove(_:),
        ((CBPeripheralManager) -> (CBMutableService) -> Void).self)
    surface.check(
        "CBPeripheralManager.removeAllServices()", CBPeripheralManager.removeAllServices,
        ((CBPeripheralManager) -> () -> Void).self)
    surface.check(
        "CBPeripheralManager.respond(to:withResult:)", CBPeripheralManager.respond(to:withResult:),
        ((CBPeripheralManager) -> (CBATTRequest, CBATTError.Code) -> Void).self)
    surface.check(
        "CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)",
        CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:),
        ((CBPeripheralManager) -> (Data, CBMutableCharacteristic, [CBCentral]?) -> Bool).self)
    surface.check(
        "CBPeripheralManager.publishL2CAPChannel(withEncryption:)",
        CBPeripheralManager.publishL2CAPChannel(withEncryption:), ((CBPeripheralManager) -> (Bool) -> Void).self)
    surface.check(
        "CBPeripheralManager.unpublishL2CAPChannel(_:)", CBPeripheralManager.unpublishL2CAPChannel(_:),
        ((CBPeripheralManager) -> (CBL2CAPPSM) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManagerDidUpdateState(_:)",
        PeripheralManagerProbe.peripheralManagerDidUpdateState(_:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:willRestoreState:)",
        PeripheralManagerProbe.peripheralManager(_:willRestoreState:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, [String: Any]) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManagerDidStartAdvertising(_:error:)",
        PeripheralManagerProbe.peripheralManagerDidStartAdvertising(_:error:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:didAdd:error:)",
        PeripheralManagerProbe.peripheralManager(_:didAdd:error:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, CBService, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:central:didSubscribeTo:)",
        PeripheralManagerProbe.peripheralManager(_:central:didSubscribeTo:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, CBCentral, CBCharacteristic) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:central:didUnsubscribeFrom:)",
        PeripheralManagerProbe.peripheralManager(_:central:didUnsubscribeFrom:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, CBCentral, CBCharacteristic) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:didReceiveRead:)",
        PeripheralManagerProbe.peripheralManager(_:didReceiveRead:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, CBATTRequest) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:didReceiveWrite:)",
        PeripheralManagerProbe.peripheralManager(_:didReceiveWrite:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, [CBATTRequest]) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManagerIsReady(toUpdateSubscribers:)",
        PeripheralManagerProbe.peripheralManagerIsReady(toUpdateSubscribers:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:didPublishL2CAPChannel:error:)",
        PeripheralManagerProbe.peripheralManager(_:didPublishL2CAPChannel:error:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, CBL2CAPPSM, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:didUnpublishL2CAPChannel:error:)",
        PeripheralManagerProbe.peripheralManager(_:didUnpublishL2CAPChannel:error:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, CBL2CAPPSM, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralManagerDelegate.peripheralManager(_:didOpen:error:)",
        PeripheralManagerProbe.peripheralManager(_:didOpen:error:),
        ((PeripheralManagerProbe) -> (CBPeripheralManager, CBL2CAPChannel?, (any Error)?) -> Void).self)
    surface.check(
        "CBCentralManagerDelegate.centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)",
        CentralProbe.centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:),
        ((CentralProbe) -> (CBCentralManager, CBPeripheral, CFAbsoluteTime, Bool, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheral.startChannelSoundingSession(_:)", CBPeripheral.startChannelSoundingSession(_:),
        ((CBPeripheral) -> (CBChannelSoundingSessionConfiguration) -> Void).self)
    surface.check(
        "CBPeripheral.cancelChannelSoundingSession()", CBPeripheral.cancelChannelSoundingSession,
        ((CBPeripheral) -> () -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didReceive:error:)", PeripheralProbe.peripheral(_:didReceive:error:),
        ((PeripheralProbe) -> (CBPeripheral, CBChannelSoundingProcedureResults?, (any Error)?) -> Void).self)
    surface.check(
        "CBPeripheralDelegate.peripheral(_:didCompleteChannelSoundingSession:)",
        PeripheralProbe.peripheral(_:didCompleteChannelSoundingSession:),
        ((PeripheralProbe) -> (CBPeripheral, (any Error)?) -> Void).self)
}
