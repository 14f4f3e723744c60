import CoreBluetooth
import CoreFoundation
import Testing

// Facts about the public API of CoreBluetooth, one line a symbol: this file compiles where each is there with its type.

@available(*, deprecated)
func propertiesOfTheAPI() {
    let _: KeyPath<CBATTRequest, CBCentral> = \.central
    let _: KeyPath<CBATTRequest, CBCharacteristic> = \.characteristic
    let _: KeyPath<CBATTRequest, Int> = \.offset
    let _: ReferenceWritableKeyPath<CBATTRequest, Data?> = \.value
    let _: KeyPath<CBAttribute, CBUUID> = \.uuid
    let _: KeyPath<CBCentral, Int> = \.maximumUpdateValueLength
    let _: KeyPath<CBCentralManagerState, Int> = \.rawValue
    let _: KeyPath<CBConnectionEvent, Int> = \.rawValue
    let _: KeyPath<CBCentralManager.Feature, UInt> = \.rawValue
    let _: ReferenceWritableKeyPath<CBCentralManager, (any CBCentralManagerDelegate)?> = \.delegate
    let _: KeyPath<CBCentralManager, Bool> = \.isScanning
    let _: KeyPath<CBConnectionEventMatchingOption, String> = \.rawValue
    let _: KeyPath<CBCharacteristicProperties, UInt> = \.rawValue
    let _: KeyPath<CBCharacteristic, CBService?> = \.service
    let _: KeyPath<CBCharacteristic, CBCharacteristicProperties> = \.properties
    let _: KeyPath<CBCharacteristic, Data?> = \.value
    let _: KeyPath<CBCharacteristic, [CBDescriptor]?> = \.descriptors
    let _: KeyPath<CBCharacteristic, Bool> = \.isBroadcasted
    let _: KeyPath<CBCharacteristic, Bool> = \.isNotifying
    let _: KeyPath<CBAttributePermissions, UInt> = \.rawValue
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, CBAttributePermissions> = \.permissions
    let _: KeyPath<CBMutableCharacteristic, [CBCentral]?> = \.subscribedCentrals
    let _: KeyPath<CBDescriptor, CBCharacteristic?> = \.characteristic
    let _: KeyPath<CBDescriptor, Any?> = \.value
    let _: KeyPath<CBL2CAPChannel, CBPeer?> = \.peer
    let _: KeyPath<CBL2CAPChannel, InputStream?> = \.inputStream
    let _: KeyPath<CBL2CAPChannel, OutputStream?> = \.outputStream
    let _: KeyPath<CBL2CAPChannel, CBL2CAPPSM> = \.psm
    let _: KeyPath<CBManager, CBManagerState> = \.state
    let _: KeyPath<CBManager, CBManagerAuthorization> = \.authorization
    let _: KeyPath<CBManagerState, Int> = \.rawValue
    let _: KeyPath<CBManagerAuthorization, Int> = \.rawValue
    let _: KeyPath<CBPeer, UUID> = \.identifier
    let _: KeyPath<CBPeripheralState, Int> = \.rawValue
    let _: KeyPath<CBCharacteristicWriteType, Int> = \.rawValue
    let _: ReferenceWritableKeyPath<CBPeripheral, (any CBPeripheralDelegate)?> = \.delegate
    let _: KeyPath<CBPeripheral, String?> = \.name
    let _: KeyPath<CBPeripheral, NSNumber?> = \.rssi
    let _: KeyPath<CBPeripheral, CBPeripheralState> = \.state
    let _: KeyPath<CBPeripheral, [CBService]?> = \.services
    let _: KeyPath<CBPeripheral, Bool> = \.canSendWriteWithoutResponse
    let _: KeyPath<CBPeripheral, Bool> = \.ancsAuthorized
    let _: KeyPath<CBPeripheralManagerAuthorizationStatus, Int> = \.rawValue
    let _: KeyPath<CBPeripheralManagerState, Int> = \.rawValue
    let _: KeyPath<CBPeripheralManagerConnectionLatency, Int> = \.rawValue
    let _: ReferenceWritableKeyPath<CBPeripheralManager, (any CBPeripheralManagerDelegate)?> = \.delegate
    let _: KeyPath<CBPeripheralManager, Bool> = \.isAdvertising
    let _: KeyPath<CBService, CBPeripheral?> = \.peripheral
    let _: KeyPath<CBService, Bool> = \.isPrimary
    let _: KeyPath<CBService, [CBService]?> = \.includedServices
    let _: KeyPath<CBService, [CBCharacteristic]?> = \.characteristics
    let _: KeyPath<CBUUID, Data> = \.data
    let _: KeyPath<CBUUID, String> = \.uuidString
    let _: KeyPath<CBError, CBError.Code> = \.code
    let _: KeyPath<CBError, [String: Any]> = \.userInfo
    let _: KeyPath<CBError, Int> = \.errorCode
    let _: KeyPath<CBError, [String: Any]> = \.errorUserInfo
    let _: KeyPath<CBATTError, CBATTError.Code> = \.code
    let _: KeyPath<CBATTError, [String: Any]> = \.userInfo
    let _: KeyPath<CBATTError, Int> = \.errorCode
    let _: KeyPath<CBATTError, [String: Any]> = \.errorUserInfo
    let _: ReferenceWritableKeyPath<CBMutableService, [CBService]?> = \.includedServices
    let _: ReferenceWritableKeyPath<CBMutableService, [CBCharacteristic]?> = \.characteristics
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, CBCharacteristicProperties> = \.properties
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, Data?> = \.value
    let _: ReferenceWritableKeyPath<CBMutableCharacteristic, [CBDescriptor]?> = \.descriptors
    let _: KeyPath<CBChannelSoundingProcedureResults, Double> = \.distance
    let _: KeyPath<CBChannelSoundingSessionConfiguration, CBChannelSoundingSessionConfiguration.Role> = \.role
}

@available(*, deprecated)
func initializersOfTheAPI() {
    let _: (Int) -> CBCentralManagerState? = CBCentralManagerState.init(rawValue:)
    let _: (Int) -> CBConnectionEvent? = CBConnectionEvent.init(rawValue:)
    let _: (UInt) -> CBCentralManager.Feature = CBCentralManager.Feature.init(rawValue:)
    let _: ((any CBCentralManagerDelegate)?, DispatchQueue?) -> CBCentralManager =
        CBCentralManager.init(delegate:queue:)
    let _: ((any CBCentralManagerDelegate)?, DispatchQueue?, [String: Any]?) -> CBCentralManager =
        CBCentralManager.init(delegate:queue:options:)
    let _: ((any CBCentralManagerDelegate)?, DispatchQueue?) -> CBCentralManager =
        { CBCentralManager(delegate: $0, queue: $1) }
    let _: (String) -> CBConnectionEventMatchingOption = CBConnectionEventMatchingOption.init(rawValue:)
    let _: (UInt) -> CBCharacteristicProperties = CBCharacteristicProperties.init(rawValue:)
    let _: (UInt) -> CBAttributePermissions = CBAttributePermissions.init(rawValue:)
    let _: (CBUUID, CBCharacteristicProperties, Data?, CBAttributePermissions) -> CBMutableCharacteristic =
        CBMutableCharacteristic.init(type:properties:value:permissions:)
    let _: (CBUUID, Any?) -> CBMutableDescriptor = CBMutableDescriptor.init(type:value:)
    let _: (Int) -> CBManagerState? = CBManagerState.init(rawValue:)
    let _: (Int) -> CBManagerAuthorization? = CBManagerAuthorization.init(rawValue:)
    let _: (Int) -> CBPeripheralState? = CBPeripheralState.init(rawValue:)
    let _: (Int) -> CBCharacteristicWriteType? = CBCharacteristicWriteType.init(rawValue:)
    let _: (Int) -> CBPeripheralManagerAuthorizationStatus? = CBPeripheralManagerAuthorizationStatus.init(rawValue:)
    let _: (Int) -> CBPeripheralManagerState? = CBPeripheralManagerState.init(rawValue:)
    let _: (Int) -> CBPeripheralManagerConnectionLatency? = CBPeripheralManagerConnectionLatency.init(rawValue:)
    let _: ((any CBPeripheralManagerDelegate)?, DispatchQueue?) -> CBPeripheralManager =
        CBPeripheralManager.init(delegate:queue:)
    let _: ((any CBPeripheralManagerDelegate)?, DispatchQueue?, [String: Any]?) -> CBPeripheralManager =
        CBPeripheralManager.init(delegate:queue:options:)
    let _: ((any CBPeripheralManagerDelegate)?, DispatchQueue?) -> CBPeripheralManager =
        { CBPeripheralManager(delegate: $0, queue: $1) }
    let _: (CBUUID, Bool) -> CBMutableService = CBMutableService.init(type:primary:)
    let _: (String) -> CBUUID = CBUUID.init(string:)
    let _: (Data) -> CBUUID = CBUUID.init(data:)
    let _: (CFUUID) -> CBUUID = CBUUID.init(cfuuid:)
    let _: (UUID) -> CBUUID = CBUUID.init(nsuuid:)
    _ = CBError(.unknown) as CBError
    let _: (CBError.Code, [String: Any]) -> CBError = { CBError($0, userInfo: $1) }
    _ = CBATTError(.success) as CBATTError
    let _: (CBATTError.Code, [String: Any]) -> CBATTError = { CBATTError($0, userInfo: $1) }
    let _: () -> CBCentralManager = CBCentralManager.init
    let _: () -> CBPeripheralManager = CBPeripheralManager.init
    let _: (CBChannelSoundingSessionConfiguration.Role) -> CBChannelSoundingSessionConfiguration =
        CBChannelSoundingSessionConfiguration.init(role:)
    let _: () -> CBUUID = CBUUID.init
}

@available(*, deprecated)
func methodsOfTheAPI() {
    let _: (CBCentralManager.Feature) -> Bool = CBCentralManager.supports(_:)
    let _: (CBCentralManager) -> ([UUID]) -> [CBPeripheral] = CBCentralManager.retrievePeripherals(withIdentifiers:)
    let _: (CBCentralManager) -> ([CBUUID]) -> [CBPeripheral] =
        CBCentralManager.retrieveConnectedPeripherals(withServices:)
    let _: (CBCentralManager) -> ([CBUUID]?, [String: Any]?) -> Void =
        CBCentralManager.scanForPeripherals(withServices:options:)
    let _: (CBCentralManager, [CBUUID]?) -> Void = { $0.scanForPeripherals(withServices: $1) }
    let _: (CBCentralManager) -> () -> Void = CBCentralManager.stopScan
    let _: (CBCentralManager) -> (CBPeripheral, [String: Any]?) -> Void = CBCentralManager.connect(_:options:)
    let _: (CBCentralManager, CBPeripheral) -> Void = { $0.connect($1) }
    let _: (CBCentralManager) -> (CBPeripheral) -> Void = CBCentralManager.cancelPeripheralConnection(_:)
    let _: (CBCentralManager) -> ([CBConnectionEventMatchingOption: Any]?) -> Void =
        CBCentralManager.registerForConnectionEvents(options:)
    let _: (CBCentralManager) -> Void = { $0.registerForConnectionEvents() }
    let _: (CBPeripheral) -> () -> Void = CBPeripheral.readRSSI
    let _: (CBPeripheral) -> ([CBUUID]?) -> Void = CBPeripheral.discoverServices(_:)
    let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverIncludedServices(_:for:)
    let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral.discoverCharacteristics(_:for:)
    let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.readValue(for:)
    let _: (CBPeripheral) -> (CBCharacteristicWriteType) -> Int = CBPeripheral.maximumWriteValueLength(for:)
    let _: (CBPeripheral) -> (Data, CBCharacteristic, CBCharacteristicWriteType) -> Void =
        CBPeripheral.writeValue(_:for:type:)
    let _: (CBPeripheral) -> (Bool, CBCharacteristic) -> Void = CBPeripheral.setNotifyValue(_:for:)
    let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.discoverDescriptors(for:)
    let _: (CBPeripheral) -> (Data, CBDescriptor) -> Void = CBPeripheral.writeValue(_:for:)
    let _: (CBPeripheral) -> (CBL2CAPPSM) -> Void = CBPeripheral.openL2CAPChannel(_:)
    let _: () -> CBPeripheralManagerAuthorizationStatus = CBPeripheralManager.authorizationStatus
    let _: (CBPeripheralManager) -> ([String: Any]?) -> Void = CBPeripheralManager.startAdvertising(_:)
    let _: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.stopAdvertising
    let _: (CBPeripheralManager) -> (CBPeripheralManagerConnectionLatency, CBCentral) -> Void =
        CBPeripheralManager.setDesiredConnectionLatency(_:for:)
    let _: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager.add(_:)
    let _: (CBPeripheralManager) -> (CBMutableService) -> Void = CBPeripheralManager.remove(_:)
    let _: (CBPeripheralManager) -> () -> Void = CBPeripheralManager.removeAllServices
    let _: (CBPeripheralManager) -> (CBATTRequest, CBATTError.Code) -> Void =
        CBPeripheralManager.respond(to:withResult:)
    let _: (CBPeripheralManager) -> (Data, CBMutableCharacteristic, [CBCentral]?) -> Bool =
        CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)
    let _: (CBPeripheralManager) -> (Bool) -> Void = CBPeripheralManager.publishL2CAPChannel(withEncryption:)
    let _: (CBPeripheralManager) -> (CBL2CAPPSM) -> Void = CBPeripheralManager.unpublishL2CAPChannel(_:)
    let _: (CBPeripheral) -> (CBChannelSoundingSessionConfiguration) -> Void =
        CBPeripheral.startChannelSoundingSession(_:)
    let _: (CBPeripheral) -> () -> Void = CBPeripheral.cancelChannelSoundingSession
}

@available(*, deprecated)
func delegateMethodsOfTheAPI() {
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager) -> Void = { $0.centralManagerDidUpdateState(_:) }
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager, [String: Any]) -> Void =
        { $0.centralManager(_:willRestoreState:) }
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager, CBPeripheral, [String: Any], NSNumber) -> Void =
        { $0.centralManager(_:didDiscover:advertisementData:rssi:) }
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager, CBPeripheral) -> Void =
        { $0.centralManager(_:didConnect:) }
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager, CBPeripheral, (any Error)?) -> Void =
        { $0.centralManager(_:didFailToConnect:error:) }
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager, CBPeripheral, (any Error)?) -> Void =
        { $0.centralManager(_:didDisconnectPeripheral:error:) }
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager, CBConnectionEvent, CBPeripheral) -> Void =
        { $0.centralManager(_:connectionEventDidOccur:for:) }
    let _: (any CBCentralManagerDelegate) -> (CBCentralManager, CBPeripheral) -> Void =
        { $0.centralManager(_:didUpdateANCSAuthorizationFor:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral) -> Void = { $0.peripheralDidUpdateName(_:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, [CBService]) -> Void = { $0.peripheral(_:didModifyServices:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, (any Error)?) -> Void =
        { $0.peripheralDidUpdateRSSI(_:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, NSNumber, (any Error)?) -> Void =
        { $0.peripheral(_:didReadRSSI:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, (any Error)?) -> Void =
        { $0.peripheral(_:didDiscoverServices:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBService, (any Error)?) -> Void =
        { $0.peripheral(_:didDiscoverIncludedServicesFor:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBService, (any Error)?) -> Void =
        { $0.peripheral(_:didDiscoverCharacteristicsFor:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void =
        { $0.peripheral(_:didUpdateValueFor:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void =
        { $0.peripheral(_:didWriteValueFor:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void =
        { $0.peripheral(_:didUpdateNotificationStateFor:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBCharacteristic, (any Error)?) -> Void =
        { $0.peripheral(_:didDiscoverDescriptorsFor:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral) -> Void =
        { $0.peripheralIsReady(toSendWriteWithoutResponse:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBL2CAPChannel?, (any Error)?) -> Void =
        { $0.peripheral(_:didOpen:error:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager) -> Void =
        { $0.peripheralManagerDidUpdateState(_:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, [String: Any]) -> Void =
        { $0.peripheralManager(_:willRestoreState:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, (any Error)?) -> Void =
        { $0.peripheralManagerDidStartAdvertising(_:error:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, CBService, (any Error)?) -> Void =
        { $0.peripheralManager(_:didAdd:error:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, CBCentral, CBCharacteristic) -> Void =
        { $0.peripheralManager(_:central:didSubscribeTo:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, CBCentral, CBCharacteristic) -> Void =
        { $0.peripheralManager(_:central:didUnsubscribeFrom:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, CBATTRequest) -> Void =
        { $0.peripheralManager(_:didReceiveRead:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, [CBATTRequest]) -> Void =
        { $0.peripheralManager(_:didReceiveWrite:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager) -> Void =
        { $0.peripheralManagerIsReady(toUpdateSubscribers:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, CBL2CAPPSM, (any Error)?) -> Void =
        { $0.peripheralManager(_:didPublishL2CAPChannel:error:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, CBL2CAPPSM, (any Error)?) -> Void =
        { $0.peripheralManager(_:didUnpublishL2CAPChannel:error:) }
    let _: (any CBPeripheralManagerDelegate) -> (CBPeripheralManager, CBL2CAPChannel?, (any Error)?) -> Void =
        { $0.peripheralManager(_:didOpen:error:) }
    let _:
        (any CBCentralManagerDelegate) ->
            (CBCentralManager, CBPeripheral, CFAbsoluteTime, Bool, (any Error)?) -> Void = {
                $0.centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)
            }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, CBChannelSoundingProcedureResults?, (any Error)?) -> Void =
        { $0.peripheral(_:didReceive:error:) }
    let _: (any CBPeripheralDelegate) -> (CBPeripheral, (any Error)?) -> Void =
        { $0.peripheral(_:didCompleteChannelSoundingSession:) }
}
