import CoreBluetooth
import Testing

// Written by Scripts/generate-api-surface.

@available(*, deprecated)
func checkValues(_ surface: Surface) {
    let _: String.Type = type(of: CBAdvertisementDataLocalNameKey)
    surface.check("CBAdvertisementDataLocalNameKey", CBAdvertisementDataLocalNameKey, "kCBAdvDataLocalName")
    let _: String.Type = type(of: CBAdvertisementDataTxPowerLevelKey)
    surface.check("CBAdvertisementDataTxPowerLevelKey", CBAdvertisementDataTxPowerLevelKey, "kCBAdvDataTxPowerLevel")
    let _: String.Type = type(of: CBAdvertisementDataServiceUUIDsKey)
    surface.check("CBAdvertisementDataServiceUUIDsKey", CBAdvertisementDataServiceUUIDsKey, "kCBAdvDataServiceUUIDs")
    let _: String.Type = type(of: CBAdvertisementDataServiceDataKey)
    surface.check("CBAdvertisementDataServiceDataKey", CBAdvertisementDataServiceDataKey, "kCBAdvDataServiceData")
    let _: String.Type = type(of: CBAdvertisementDataManufacturerDataKey)
    surface.check(
        "CBAdvertisementDataManufacturerDataKey", CBAdvertisementDataManufacturerDataKey, "kCBAdvDataManufacturerData")
    let _: String.Type = type(of: CBAdvertisementDataOverflowServiceUUIDsKey)
    surface.check(
        "CBAdvertisementDataOverflowServiceUUIDsKey", CBAdvertisementDataOverflowServiceUUIDsKey,
        "kCBAdvDataHashedServiceUUIDs")
    let _: String.Type = type(of: CBAdvertisementDataIsConnectable)
    surface.check("CBAdvertisementDataIsConnectable", CBAdvertisementDataIsConnectable, "kCBAdvDataIsConnectable")
    let _: String.Type = type(of: CBAdvertisementDataSolicitedServiceUUIDsKey)
    surface.check(
        "CBAdvertisementDataSolicitedServiceUUIDsKey", CBAdvertisementDataSolicitedServiceUUIDsKey,
        "kCBAdvDataSolicitedServiceUUIDs")
    surface.check("CBCentralManagerState.unknown", Int(CBCentralManagerState.unknown.rawValue), 0)
    surface.check("CBCentralManagerState.resetting", Int(CBCentralManagerState.resetting.rawValue), 1)
    surface.check("CBCentralManagerState.unsupported", Int(CBCentralManagerState.unsupported.rawValue), 2)
    surface.check("CBCentralManagerState.unauthorized", Int(CBCentralManagerState.unauthorized.rawValue), 3)
    surface.check("CBCentralManagerState.poweredOff", Int(CBCentralManagerState.poweredOff.rawValue), 4)
    surface.check("CBCentralManagerState.poweredOn", Int(CBCentralManagerState.poweredOn.rawValue), 5)
    surface.check("CBConnectionEvent.peerDisconnected", Int(CBConnectionEvent.peerDisconnected.rawValue), 0)
    surface.check("CBConnectionEvent.peerConnected", Int(CBConnectionEvent.peerConnected.rawValue), 1)
    surface.check(
        "CBCentralManager.Feature.extendedScanAndConnect",
        Int(CBCentralManager.Feature.extendedScanAndConnect.rawValue), 1)
    let _: String.Type = type(of: CBCentralManagerOptionShowPowerAlertKey)
    surface.check(
        "CBCentralManagerOptionShowPowerAlertKey", CBCentralManagerOptionShowPowerAlertKey,
        "kCBInitOptionShowPowerAlert")
    let _: String.Type = type(of: CBCentralManagerOptionRestoreIdentifierKey)
    surface.check(
        "CBCentralManagerOptionRestoreIdentifierKey", CBCentralManagerOptionRestoreIdentifierKey,
        "kCBInitOptionRestoreIdentifier")
    let _: String.Type = type(of: CBCentralManagerScanOptionAllowDuplicatesKey)
    surface.check(
        "CBCentralManagerScanOptionAllowDuplicatesKey", CBCentralManagerScanOptionAllowDuplicatesKey,
        "kCBScanOptionAllowDuplicates")
    let _: String.Type = type(of: CBCentralManagerScanOptionSolicitedServiceUUIDsKey)
    surface.check(
        "CBCentralManagerScanOptionSolicitedServiceUUIDsKey", CBCentralManagerScanOptionSolicitedServiceUUIDsKey,
        "kCBScanOptionSolicitedServiceUUIDs")
    let _: String.Type = type(of: CBConnectPeripheralOptionNotifyOnConnectionKey)
    surface.check(
        "CBConnectPeripheralOptionNotifyOnConnectionKey", CBConnectPeripheralOptionNotifyOnConnectionKey,
        "kCBConnectOptionNotifyOnConnection")
    let _: String.Type = type(of: CBConnectPeripheralOptionNotifyOnDisconnectionKey)
    surface.check(
        "CBConnectPeripheralOptionNotifyOnDisconnectionKey", CBConnectPeripheralOptionNotifyOnDisconnectionKey,
        "kCBConnectOptionNotifyOnDisconnection")
    let _: String.Type = type(of: CBConnectPeripheralOptionNotifyOnNotificationKey)
    surface.check(
        "CBConnectPeripheralOptionNotifyOnNotificationKey", CBConnectPeripheralOptionNotifyOnNotificationKey,
        "kCBConnectOptionNotifyOnNotification")
    let _: String.Type = type(of: CBConnectPeripheralOptionStartDelayKey)
    surface.check(
        "CBConnectPeripheralOptionStartDelayKey", CBConnectPeripheralOptionStartDelayKey, "kCBConnectOptionStartDelay")
    let _: String.Type = type(of: CBConnectPeripheralOptionEnableTransportBridgingKey)
    surface.check(
        "CBConnectPeripheralOptionEnableTransportBridgingKey", CBConnectPeripheralOptionEnableTransportBridgingKey,
        "kCBConnectOptionEnableTransportBridging")
    let _: String.Type = type(of: CBConnectPeripheralOptionRequiresANCS)
    surface.check(
        "CBConnectPeripheralOptionRequiresANCS", CBConnectPeripheralOptionRequiresANCS, "kCBConnectOptionRequiresANCS")
    let _: String.Type = type(of: CBCentralManagerRestoredStatePeripheralsKey)
    surface.check(
        "CBCentralManagerRestoredStatePeripheralsKey", CBCentralManagerRestoredStatePeripheralsKey,
        "kCBRestoredPeripherals")
    let _: String.Type = type(of: CBCentralManagerRestoredStateScanServicesKey)
    surface.check(
        "CBCentralManagerRestoredStateScanServicesKey", CBCentralManagerRestoredStateScanServicesKey,
        "kCBRestoredScanServices")
    let _: String.Type = type(of: CBCentralManagerRestoredStateScanOptionsKey)
    surface.check(
        "CBCentralManagerRestoredStateScanOptionsKey", CBCentralManagerRestoredStateScanOptionsKey,
        "kCBRestoredScanOptions")
    let _: CBConnectionEventMatchingOption.Type = type(of: CBConnectionEventMatchingOption.serviceUUIDs)
    surface.check(
        "CBConnectionEventMatchingOption.serviceUUIDs", CBConnectionEventMatchingOption.serviceUUIDs.rawValue,
        "kCBConnectionEventMatchingOptionServiceUUIDs")
    let _: CBConnectionEventMatchingOption.Type = type(of: CBConnectionEventMatchingOption.peripheralUUIDs)
    surface.check(
        "CBConnectionEventMatchingOption.peripheralUUIDs", CBConnectionEventMatchingOption.peripheralUUIDs.rawValue,
        "kCBConnectionEventMatchingOptionPeripheralUUIDs")
    surface.check("CBCharacteristicProperties.broadcast", Int(CBCharacteristicProperties.broadcast.rawValue), 1)
    surface.check("CBCharacteristicProperties.read", Int(CBCharacteristicProperties.read.rawValue), 2)
    surface.check(
        "CBCharacteristicProperties.writeWithoutResponse",
        Int(CBCharacteristicProperties.writeWithoutResponse.rawValue), 4)
    surface.check("CBCharacteristicProperties.write", Int(CBCharacteristicProperties.write.rawValue), 8)
    surface.check("CBCharacteristicProperties.notify", Int(CBCharacteristicProperties.notify.rawValue), 16)
    surface.check("CBCharacteristicProperties.indicate", Int(CBCharacteristicProperties.indicate.rawValue), 32)
    surface.check(
        "CBCharacteristicProperties.authenticatedSignedWrites",
        Int(CBCharacteristicProperties.authenticatedSignedWrites.rawValue), 64)
    surface.check(
        "CBCharacteristicProperties.extendedProperties", Int(CBCharacteristicProperties.extendedProperties.rawValue),
        128)
    surface.check(
        "CBCharacteristicProperties.notifyEncryptionRequired",
        Int(CBCharacteristicProperties.notifyEncryptionRequired.rawValue), 256)
    surface.check(
        "CBCharacteristicProperties.indicateEncryptionRequired",
        Int(CBCharacteristicProperties.indicateEncryptionRequired.rawValue), 512)
    surface.check("CBAttributePermissions.readable", Int(CBAttributePermissions.readable.rawValue), 1)
    surface.check("CBAttributePermissions.writeable", Int(CBAttributePermissions.writeable.rawValue), 2)
    surface.check(
        "CBAttributePermissions.readEncryptionRequired", Int(CBAttributePermissions.readEncryptionRequired.rawValue), 4)
    surface.check(
        "CBAttributePermissions.writeEncryptionRequired", Int(CBAttributePermissions.writeEncryptionRequired.rawValue),
        8)
    let _: String.Type = type(of: CBErrorDomain)
    surface.check("CBErrorDomain", CBErrorDomain, "CBErrorDomain")
    let _: String.Type = type(of: CBError.errorDomain)
    surface.check("CBError.errorDomain", CBError.errorDomain, String.self)
    surface.check("CBError.unknown", (CBError.unknown as CBError.Code).rawValue, 0)
    surface.check("CBError.invalidParameters", (CBError.invalidParameters as CBError.Code).rawValue, 1)
    surface.check("CBError.invalidHandle", (CBError.invalidHandle as CBError.Code).rawValue, 2)
    surface.check("CBError.notConnected", (CBError.notConnected as CBError.Code).rawValue, 3)
    surface.check("CBError.outOfSpace", (CBError.outOfSpace as CBError.Code).rawValue, 4)
    surface.check("CBError.operationCancelled", (CBError.operationCancelled as CBError.Code).rawValue, 5)
    surface.check("CBError.connectionTimeout", (CBError.connectionTimeout as CBError.Code).rawValue, 6)
    surface.check("CBError.peripheralDisconnected", (CBError.peripheralDisconnected as CBError.Code).rawValue, 7)
    surface.check("CBError.uuidNotAllowed", (CBError.uuidNotAllowed as CBError.Code).rawValue, 8)
    surface.check("CBError.alreadyAdvertising", (CBError.alreadyAdvertising as CBError.Code).rawValue, 9)
    surface.check("CBError.connectionFailed", (CBError.connectionFailed as CBError.Code).rawValue, 10)
    surface.check("CBError.connectionLimitReached", (CBError.connectionLimitReached as CBError.Code).rawValue, 11)
    surface.check("CBError.unkownDevice", (CBError.unkownDevice as CBError.Code).rawValue, 12)
    surface.check("CBError.unknownDevice", (CBError.unknownDevice as CBError.Code).rawValue, 12)
    surface.check("CBError.operationNotSupported", (CBError.operationNotSupported as CBError.Code).rawValue, 13)
    surface.check(
        "CBError.peerRemovedPairingInformation", (CBError.peerRemovedPairingInformation as CBError.Code).rawValue, 14)
    surface.check("CBError.encryptionTimedOut", (CBError.encryptionTimedOut as CBError.Code).rawValue, 15)
    surface.check("CBError.tooManyLEPairedDevices", (CBError.tooManyLEPairedDevices as CBError.Code).rawValue, 16)
    let _: String.Type = type(of: CBATTErrorDomain)
    surface.check("CBATTErrorDomain", CBATTErrorDomain, "CBATTErrorDomain")
    let _: String.Type = type(of: CBATTError.errorDomain)
    surface.check("CBATTError.errorDomain", CBATTError.errorDomain, String.self)
    surface.check("CBATTError.success", (CBATTError.success as CBATTError.Code).rawValue, 0)
    surface.check("CBATTError.invalidHandle", (CBATTError.invalidHandle as CBATTError.Code).rawValue, 1)
    surface.check("CBATTError.readNotPermitted", (CBATTError.readNotPermitted as CBATTError.Code).rawValue, 2)
    surface.check("CBATTError.writeNotPermitted", (CBATTError.writeNotPermitted as CBATTError.Code).rawValue, 3)
    surface.check("CBATTError.invalidPdu", (CBATTError.invalidPdu as CBATTError.Code).rawValue, 4)
    surface.check(
        "CBATTError.insufficientAuthentication", (CBATTError.insufficientAuthentication as CBATTError.Code).rawValue, 5)
    surface.check("CBATTError.requestNotSupported", (CBATTError.requestNotSupported as CBATTError.Code).rawValue, 6)
    surface.check("CBATTError.invalidOffset", (CBATTError.invalidOffset as CBATTError.Code).rawValue, 7)
    surface.check(
        "CBATTError.insufficientAuthorization", (CBATTError.insufficientAuthorization as CBATTError.Code).rawValue, 8)
    surface.check("CBATTError.prepareQueueFull", (CBATTError.prepareQueueFull as CBATTError.Code).rawValue, 9)
    surface.check("CBATTError.attributeNotFound", (CBATTError.attributeNotFound as CBATTError.Code).rawValue, 10)
    surface.check("CBATTError.attributeNotLong", (CBATTError.attributeNotLong as CBATTError.Code).rawValue, 11)
    surface.check(
        "CBATTError.insufficientEncryptionKeySize",
        (CBATTError.insufficientEncryptionKeySize as CBATTError.Code).rawValue, 12)
    surface.check(
        "CBATTError.invalidAttributeValueLength", (CBATTError.invalidAttributeValueLength as CBATTError.Code).rawValue,
        13)
    surface.check("CBATTError.unlikelyError", (CBATTError.unlikelyError as CBATTError.Code).rawValue, 14)
    surface.check(
        "CBATTError.insufficientEncryption", (CBATTError.insufficientEncryption as CBATTError.Code).rawValue, 15)
    surface.check("CBATTError.unsupportedGroupType", (CBATTError.unsupportedGroupType as CBATTError.Code).rawValue, 16)
    surface.check(
        "CBATTError.insufficientResources", (CBATTError.insufficientResources as CBATTError.Code).rawValue, 17)
    let _: CBManagerAuthorization.Type = type(of: CBManager.authorization)
    surface.check("CBManager.authorization", CBManager.authorization, CBManagerAuthorization.self)
    surface.check("CBManagerState.unknown", Int(CBManagerState.unknown.rawValue), 0)
    surface.check("CBManagerState.resetting", Int(CBManagerState.resetting.rawValue), 1)
    surface.check("CBManagerState.unsupported", Int(CBManagerState.unsupported.rawValue), 2)
    surface.check("CBManagerState.unauthorized", Int(CBManagerState.unauthorized.rawValue), 3)
    surface.check("CBManagerState.poweredOff", Int(CBManagerState.poweredOff.rawValue), 4)
    surface.check("CBManagerState.poweredOn", Int(CBManagerState.poweredOn.rawValue), 5)
    surface.check("CBManagerAuthorization.notDetermined", Int(CBManagerAuthorization.notDetermined.rawValue), 0)
    surface.check("CBManagerAuthorization.restricted", Int(CBManagerAuthorization.restricted.rawValue), 1)
    surface.check("CBManagerAuthorization.denied", Int(CBManagerAuthorization.denied.rawValue), 2)
    surface.check("CBManagerAuthorization.allowedAlways", Int(CBManagerAuthorization.allowedAlways.rawValue), 3)
    surface.check("CBPeripheralState.disconnected", Int(CBPeripheralState.disconnected.rawValue), 0)
    surface.check("CBPeripheralState.connecting", Int(CBPeripheralState.connecting.rawValue), 1)
    surface.check("CBPeripheralState.connected", Int(CBPeripheralState.connected.rawValue), 2)
    surface.check("CBPeripheralState.disconnecting", Int(CBPeripheralState.disconnecting.rawValue), 3)
    surface.check("CBCharacteristicWriteType.withResponse", Int(CBCharacteristicWriteType.withResponse.rawValue), 0)
    surface.check(
        "CBCharacteristicWriteType.withoutResponse", Int(CBCharacteristicWriteType.withoutResponse.rawValue), 1)
    surface.check(
        "CBPeripheralManagerAuthorizationStatus.notDetermined",
        Int(CBPeripheralManagerAuthorizationStatus.notDetermined.rawValue), 0)
    surface.check(
        "CBPeripheralManagerAuthorizationStatus.restricted",
        Int(CBPeripheralManagerAuthorizationStatus.restricted.rawValue), 1)
    surface.check(
        "CBPeripheralManagerAuthorizationStatus.denied", Int(CBPeripheralManagerAuthorizationStatus.denied.rawValue), 2)
    surface.check(
        "CBPeripheralManagerAuthorizationStatus.authorized",
        Int(CBPeripheralManagerAuthorizationStatus.authorized.rawValue), 3)
    surface.check("CBPeripheralManagerState.unknown", Int(CBPeripheralManagerState.unknown.rawValue), 0)
    surface.check("CBPeripheralManagerState.resetting", Int(CBPeripheralManagerState.resetting.rawValue), 1)
    surface.check("CBPeripheralManagerState.unsupported", Int(CBPeripheralManagerState.unsupported.rawValue), 2)
    surface.check("CBPeripheralManagerState.unauthorized", Int(CBPeripheralManagerState.unauthorized.rawValue), 3)
    surface.check("CBPeripheralManagerState.poweredOff", Int(CBPeripheralManagerState.poweredOff.rawValue), 4)
    surface.check("CBPeripheralManagerState.poweredOn", Int(CBPeripheralManagerState.poweredOn.rawValue), 5)
    surface.check("CBPeripheralManagerConnectionLatency.low", Int(CBPeripheralManagerConnectionLatency.low.rawValue), 0)
    surface.check(
        "CBPeripheralManagerConnectionLatency.medium", Int(CBPeripheralManagerConnectionLatency.medium.rawValue), 1)
    surface.check(
        "CBPeripheralManagerConnectionLatency.high", Int(CBPeripheralManagerConnectionLatency.high.rawValue), 2)
    let _: String.Type = type(of: CBPeripheralManagerOptionShowPowerAlertKey)
    surface.check(
        "CBPeripheralManagerOptionShowPowerAlertKey", CBPeripheralManagerOptionShowPowerAlertKey,
        "kCBInitOptionShowPowerAlert")
    let _: String.Type = type(of: CBPeripheralManagerOptionRestoreIdentifierKey)
    surface.check(
        "CBPeripheralManagerOptionRestoreIdentifierKey", CBPeripheralManagerOptionRestoreIdentifierKey,
        "kCBInitOptionRestoreIdentifier")
    let _: String.Type = type(of: CBPeripheralManagerRestoredStateServicesKey)
    surface.check(
        "CBPeripheralManagerRestoredStateServicesKey", CBPeripheralManagerRestoredStateServicesKey,
        "kCBRestoredServices")
    let _: String.Type = type(of: CBPeripheralManagerRestoredStateAdvertisementDataKey)
    surface.check(
        "CBPeripheralManagerRestoredStateAdvertisementDataKey", CBPeripheralManagerRestoredStateAdvertisementDataKey,
        "kCBRestoredAdvertisement")
    let _: String.Type = type(of: CBUUIDCharacteristicExtendedPropertiesString)
    surface.check("CBUUIDCharacteristicExtendedPropertiesString", CBUUIDCharacteristicExtendedPropertiesString, "2900")
    let _: String.Type = type(of: CBUUIDCharacteristicUserDescriptionString)
    surface.check("CBUUIDCharacteristicUserDescriptionString", CBUUIDCharacteristicUserDescriptionString, "2901")
    let _: String.Type = type(of: CBUUIDClientCharacteristicConfigurationString)
    surface.check(
        "CBUUIDClientCharacteristicConfigurationString", CBUUIDClientCharacteristicConfigurationString, "2902")
    let _: String.Type = type(of: CBUUIDServerCharacteristicConfigurationString)
    surface.check(
        "CBUUIDServerCharacteristicConfigurationString", CBUUIDServerCharacteristicConfigurationString, "2903")
    let _: String.Type = type(of: CBUUIDCharacteristicFormatString)
    surface.check("CBUUIDCharacteristicFormatString", CBUUIDCharacteristicFormatString, "2904")
    let _: String.Type = type(of: CBUUIDCharacteristicAggregateFormatString)
    surface.check("CBUUIDCharacteristicAggregateFormatString", CBUUIDCharacteristicAggregateFormatString, "2905")
    let _: String.Type = type(of: CBUUIDCharacteristicValidRangeString)
    surface.check("CBUUIDCharacteristicValidRangeString", CBUUIDCharacteristicValidRangeString, "2906")
    let _: String.Type = type(of: CBUUIDL2CAPPSMCharacteristicString)
    surface.check(
        "CBUUIDL2CAPPSMCharacteristicString", CBUUIDL2CAPPSMCharacteristicString, "ABDD3056-28FA-441D-A470-55A75A52553A"
    )
    surface.check("CBError.Code.unknown", Int(CBError.Code.unknown.rawValue), 0)
    surface.check("CBError.Code.invalidParameters", Int(CBError.Code.invalidParameters.rawValue), 1)
    surface.check("CBError.Code.invalidHandle", Int(CBError.Code.invalidHandle.rawValue), 2)
    surface.check("CBError.Code.notConnected", Int(CBError.Code.notConnected.rawValue), 3)
    surface.check("CBError.Code.outOfSpace", Int(CBError.Code.outOfSpace.rawValue), 4)
    surface.check("CBError.Code.operationCancelled", Int(CBError.Code.operationCancelled.rawValue), 5)
    surface.check("CBError.Code.connectionTimeout", Int(CBError.Code.connectionTimeout.rawValue), 6)
    surface.check("CBError.Code.peripheralDisconnected", Int(CBError.Code.peripheralDisconnected.rawValue), 7)
    surface.check("CBError.Code.uuidNotAllowed", Int(CBError.Code.uuidNotAllowed.rawValue), 8)
    surface.check("CBError.Code.alreadyAdvertising", Int(CBError.Code.alreadyAdvertising.rawValue), 9)
    surface.check("CBError.Code.connectionFailed", Int(CBError.Code.connectionFailed.rawValue), 10)
    surface.check("CBError.Code.connectionLimitReached", Int(CBError.Code.connectionLimitReached.rawValue), 11)
    surface.check("CBError.Code.unkownDevice", Int(CBError.Code.unkownDevice.rawValue), 12)
    surface.check("CBError.Code.unknownDevice", Int(CBError.Code.unknownDevice.rawValue), 12)
    surface.check("CBError.Code.operationNotSupported", Int(CBError.Code.operationNotSupported.rawValue), 13)
    surface.check(
        "CBError.Code.peerRemovedPairingInformation", Int(CBError.Code.peerRemovedPairingInformation.rawValue), 14)
    surface.check("CBError.Code.encryptionTimedOut", Int(CBError.Code.encryptionTimedOut.rawValue), 15)
    surface.check("CBError.Code.tooManyLEPairedDevices", Int(CBError.Code.tooManyLEPairedDevices.rawValue), 16)
    surface.check("CBATTError.Code.success", Int(CBATTError.Code.success.rawValue), 0)
    surface.check("CBATTError.Code.invalidHandle", Int(CBATTError.Code.invalidHandle.rawValue), 1)
    surface.check("CBATTError.Code.readNotPermitted", Int(CBATTError.Code.readNotPermitted.rawValue), 2)
    surface.check("CBATTError.Code.writeNotPermitted", Int(CBATTError.Code.writeNotPermitted.rawValue), 3)
    surface.check("CBATTError.Code.invalidPdu", Int(CBATTError.Code.invalidPdu.rawValue), 4)
    surface.check(
        "CBATTError.Code.insufficientAuthentication", Int(CBATTError.Code.insufficientAuthentication.rawValue), 5)
    surface.check("CBATTError.Code.requestNotSupported", Int(CBATTError.Code.requestNotSupported.rawValue), 6)
    surface.check("CBATTError.Code.invalidOffset", Int(CBATTError.Code.invalidOffset.rawValue), 7)
    surface.check(
        "CBATTError.Code.insufficientAuthorization", Int(CBATTError.Code.insufficientAuthorization.rawValue), 8)
    surface.check("CBATTError.Code.prepareQueueFull", Int(CBATTError.Code.prepareQueueFull.rawValue), 9)
    surface.check("CBATTError.Code.attributeNotFound", Int(CBATTError.Code.attributeNotFound.rawValue), 10)
    surface.check("CBATTError.Code.attributeNotLong", Int(CBATTError.Code.attributeNotLong.rawValue), 11)
    surface.check(
        "CBATTError.Code.insufficientEncryptionKeySize", Int(CBATTError.Code.insufficientEncryptionKeySize.rawValue), 12
    )
    surface.check(
        "CBATTError.Code.invalidAttributeValueLength", Int(CBATTError.Code.invalidAttributeValueLength.rawValue), 13)
    surface.check("CBATTError.Code.unlikelyError", Int(CBATTError.Code.unlikelyError.rawValue), 14)
    surface.check("CBATTError.Code.insufficientEncryption", Int(CBATTError.Code.insufficientEncryption.rawValue), 15)
    surface.check("CBATTError.Code.unsupportedGroupType", Int(CBATTError.Code.unsupportedGroupType.rawValue), 16)
    surface.check("CBATTError.Code.insufficientResources", Int(CBATTError.Code.insufficientResources.rawValue), 17)
    surface.check(
        "CBError.leGattExceededBackgroundNotificationLimit",
        (CBError.leGattExceededBackgroundNotificationLimit as CBError.Code).rawValue, 17)
    surface.check(
        "CBError.Code.leGattExceededBackgroundNotificationLimit",
        Int(CBError.Code.leGattExceededBackgroundNotificationLimit.rawValue), 17)
    surface.check(
        "CBError.leGattNearBackgroundNotificationLimit",
        (CBError.leGattNearBackgroundNotificationLimit as CBError.Code).rawValue, 18)
    surface.check(
        "CBError.Code.leGattNearBackgroundNotificationLimit",
        Int(CBError.Code.leGattNearBackgroundNotificationLimit.rawValue), 18)
    surface.check(
        "CBError.channelSoundingConfigurationFailed",
        (CBError.channelSoundingConfigurationFailed as CBError.Code).rawValue, 19)
    surface.check(
        "CBError.Code.channelSoundingConfigurationFailed",
        Int(CBError.Code.channelSoundingConfigurationFailed.rawValue), 19)
    surface.check(
        "CBError.channelSoundingProcedureFailed", (CBError.channelSoundingProcedureFailed as CBError.Code).rawValue, 20)
    surface.check(
        "CBError.Code.channelSoundingProcedureFailed", Int(CBError.Code.channelSoundingProcedureFailed.rawValue), 20)
    let _: String.Type = type(of: CBConnectPeripheralOptionEnableAutoReconnect)
    surface.check(
        "CBConnectPeripheralOptionEnableAutoReconnect", CBConnectPeripheralOptionEnableAutoReconnect,
        "kCBConnectOptionEnableAutoReconnect")
    let _: String.Type = type(of: CBCentralManagerOptionDeviceAccessForMedia)
    surface.check(
        "CBCentralManagerOptionDeviceAccessForMedia", CBCentralManagerOptionDeviceAccessForMedia,
        "kCBInitOptionDeviceAccessForMedia")
    let _: String.Type = type(of: CBUUIDCharacteristicObservationScheduleString)
    surface.check(
        "CBUUIDCharacteristicObservationScheduleString", CBUUIDCharacteristicObservationScheduleString, "2910")
    surface.check(
        "CBCentralManager.Feature.channelSounding", Int(CBCentralManager.Feature.channelSounding.rawValue), 1024)
    surface.check(
        "CBChannelSoundingSessionConfiguration.Role.initiator",
        Int(CBChannelSoundingSessionConfiguration.Role.initiator.rawValue), 0)
}
