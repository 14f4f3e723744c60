import CoreBluetooth
import Testing

// Facts about the public API of CoreBluetooth, one line a symbol: this file compiles where each is there with its type.

@available(*, deprecated)
enum APIValues {
    static let numbers: [(Int, Int, String)] = [
        (CBCentralManagerState.unknown.rawValue, 0, "CBCentralManagerState.unknown"),
        (CBCentralManagerState.resetting.rawValue, 1, "CBCentralManagerState.resetting"),
        (CBCentralManagerState.unsupported.rawValue, 2, "CBCentralManagerState.unsupported"),
        (CBCentralManagerState.unauthorized.rawValue, 3, "CBCentralManagerState.unauthorized"),
        (CBCentralManagerState.poweredOff.rawValue, 4, "CBCentralManagerState.poweredOff"),
        (CBCentralManagerState.poweredOn.rawValue, 5, "CBCentralManagerState.poweredOn"),
        (CBConnectionEvent.peerDisconnected.rawValue, 0, "CBConnectionEvent.peerDisconnected"),
        (CBConnectionEvent.peerConnected.rawValue, 1, "CBConnectionEvent.peerConnected"),
        (
            Int(CBCentralManager.Feature.extendedScanAndConnect.rawValue), 1,
            "CBCentralManager.Feature.extendedScanAndConnect"
        ),
        (Int(CBCharacteristicProperties.broadcast.rawValue), 1, "CBCharacteristicProperties.broadcast"),
        (Int(CBCharacteristicProperties.read.rawValue), 2, "CBCharacteristicProperties.read"),
        (
            Int(CBCharacteristicProperties.writeWithoutResponse.rawValue), 4,
            "CBCharacteristicProperties.writeWithoutResponse"
        ),
        (Int(CBCharacteristicProperties.write.rawValue), 8, "CBCharacteristicProperties.write"),
        (Int(CBCharacteristicProperties.notify.rawValue), 16, "CBCharacteristicProperties.notify"),
        (Int(CBCharacteristicProperties.indicate.rawValue), 32, "CBCharacteristicProperties.indicate"),
        (
            Int(CBCharacteristicProperties.authenticatedSignedWrites.rawValue), 64,
            "CBCharacteristicProperties.authenticatedSignedWrites"
        ),
        (
            Int(CBCharacteristicProperties.extendedProperties.rawValue), 128,
            "CBCharacteristicProperties.extendedProperties"
        ),
        (
            Int(CBCharacteristicProperties.notifyEncryptionRequired.rawValue), 256,
            "CBCharacteristicProperties.notifyEncryptionRequired"
        ),
        (
            Int(CBCharacteristicProperties.indicateEncryptionRequired.rawValue), 512,
            "CBCharacteristicProperties.indicateEncryptionRequired"
        ),
        (Int(CBAttributePermissions.readable.rawValue), 1, "CBAttributePermissions.readable"),
        (Int(CBAttributePermissions.writeable.rawValue), 2, "CBAttributePermissions.writeable"),
        (
            Int(CBAttributePermissions.readEncryptionRequired.rawValue), 4,
            "CBAttributePermissions.readEncryptionRequired"
        ),
        (
            Int(CBAttributePermissions.writeEncryptionRequired.rawValue), 8,
            "CBAttributePermissions.writeEncryptionRequired"
        ),
        ((CBError.unknown as CBError.Code).rawValue, 0, "CBError.unknown"),
        ((CBError.invalidParameters as CBError.Code).rawValue, 1, "CBError.invalidParameters"),
        ((CBError.invalidHandle as CBError.Code).rawValue, 2, "CBError.invalidHandle"),
        ((CBError.notConnected as CBError.Code).rawValue, 3, "CBError.notConnected"),
        ((CBError.outOfSpace as CBError.Code).rawValue, 4, "CBError.outOfSpace"),
        ((CBError.operationCancelled as CBError.Code).rawValue, 5, "CBError.operationCancelled"),
        ((CBError.connectionTimeout as CBError.Code).rawValue, 6, "CBError.connectionTimeout"),
        ((CBError.peripheralDisconnected as CBError.Code).rawValue, 7, "CBError.peripheralDisconnected"),
        ((CBError.uuidNotAllowed as CBError.Code).rawValue, 8, "CBError.uuidNotAllowed"),
        ((CBError.alreadyAdvertising as CBError.Code).rawValue, 9, "CBError.alreadyAdvertising"),
        ((CBError.connectionFailed as CBError.Code).rawValue, 10, "CBError.connectionFailed"),
        ((CBError.connectionLimitReached as CBError.Code).rawValue, 11, "CBError.connectionLimitReached"),
        ((CBError.unkownDevice as CBError.Code).rawValue, 12, "CBError.unkownDevice"),
        ((CBError.unknownDevice as CBError.Code).rawValue, 12, "CBError.unknownDevice"),
        ((CBError.operationNotSupported as CBError.Code).rawValue, 13, "CBError.operationNotSupported"),
        ((CBError.peerRemovedPairingInformation as CBError.Code).rawValue, 14, "CBError.peerRemovedPairingInformation"),
        ((CBError.encryptionTimedOut as CBError.Code).rawValue, 15, "CBError.encryptionTimedOut"),
        ((CBError.tooManyLEPairedDevices as CBError.Code).rawValue, 16, "CBError.tooManyLEPairedDevices"),
        ((CBATTError.success as CBATTError.Code).rawValue, 0, "CBATTError.success"),
        ((CBATTError.invalidHandle as CBATTError.Code).rawValue, 1, "CBATTError.invalidHandle"),
        ((CBATTError.readNotPermitted as CBATTError.Code).rawValue, 2, "CBATTError.readNotPermitted"),
        ((CBATTError.writeNotPermitted as CBATTError.Code).rawValue, 3, "CBATTError.writeNotPermitted"),
        ((CBATTError.invalidPdu as CBATTError.Code).rawValue, 4, "CBATTError.invalidPdu"),
        (
            (CBATTError.insufficientAuthentication as CBATTError.Code).rawValue, 5,
            "CBATTError.insufficientAuthentication"
        ),
        ((CBATTError.requestNotSupported as CBATTError.Code).rawValue, 6, "CBATTError.requestNotSupported"),
        ((CBATTError.invalidOffset as CBATTError.Code).rawValue, 7, "CBATTError.invalidOffset"),
        ((CBATTError.insufficientAuthorization as CBATTError.Code).rawValue, 8, "CBATTError.insufficientAuthorization"),
        ((CBATTError.prepareQueueFull as CBATTError.Code).rawValue, 9, "CBATTError.prepareQueueFull"),
        ((CBATTError.attributeNotFound as CBATTError.Code).rawValue, 10, "CBATTError.attributeNotFound"),
        ((CBATTError.attributeNotLong as CBATTError.Code).rawValue, 11, "CBATTError.attributeNotLong"),
        (
            (CBATTError.insufficientEncryptionKeySize as CBATTError.Code).rawValue, 12,
            "CBATTError.insufficientEncryptionKeySize"
        ),
        (
            (CBATTError.invalidAttributeValueLength as CBATTError.Code).rawValue, 13,
            "CBATTError.invalidAttributeValueLength"
        ),
        ((CBATTError.unlikelyError as CBATTError.Code).rawValue, 14, "CBATTError.unlikelyError"),
        ((CBATTError.insufficientEncryption as CBATTError.Code).rawValue, 15, "CBATTError.insufficientEncryption"),
        ((CBATTError.unsupportedGroupType as CBATTError.Code).rawValue, 16, "CBATTError.unsupportedGroupType"),
        ((CBATTError.insufficientResources as CBATTError.Code).rawValue, 17, "CBATTError.insufficientResources"),
        (CBManagerState.unknown.rawValue, 0, "CBManagerState.unknown"),
        (CBManagerState.resetting.rawValue, 1, "CBManagerState.resetting"),
        (CBManagerState.unsupported.rawValue, 2, "CBManagerState.unsupported"),
        (CBManagerState.unauthorized.rawValue, 3, "CBManagerState.unauthorized"),
        (CBManagerState.poweredOff.rawValue, 4, "CBManagerState.poweredOff"),
        (CBManagerState.poweredOn.rawValue, 5, "CBManagerState.poweredOn"),
        (CBManagerAuthorization.notDetermined.rawValue, 0, "CBManagerAuthorization.notDetermined"),
        (CBManagerAuthorization.restricted.rawValue, 1, "CBManagerAuthorization.restricted"),
        (CBManagerAuthorization.denied.rawValue, 2, "CBManagerAuthorization.denied"),
        (CBManagerAuthorization.allowedAlways.rawValue, 3, "CBManagerAuthorization.allowedAlways"),
        (CBPeripheralState.disconnected.rawValue, 0, "CBPeripheralState.disconnected"),
        (CBPeripheralState.connecting.rawValue, 1, "CBPeripheralState.connecting"),
        (CBPeripheralState.connected.rawValue, 2, "CBPeripheralState.connected"),
        (CBPeripheralState.disconnecting.rawValue, 3, "CBPeripheralState.disconnecting"),
        (CBCharacteristicWriteType.withResponse.rawValue, 0, "CBCharacteristicWriteType.withResponse"),
        (CBCharacteristicWriteType.withoutResponse.rawValue, 1, "CBCharacteristicWriteType.withoutResponse"),
        (
            CBPeripheralManagerAuthorizationStatus.notDetermined.rawValue, 0,
            "CBPeripheralManagerAuthorizationStatus.notDetermined"
        ),
        (
            CBPeripheralManagerAuthorizationStatus.restricted.rawValue, 1,
            "CBPeripheralManagerAuthorizationStatus.restricted"
        ),
        (CBPeripheralManagerAuthorizationStatus.denied.rawValue, 2, "CBPeripheralManagerAuthorizationStatus.denied"),
        (
            CBPeripheralManagerAuthorizationStatus.authorized.rawValue, 3,
            "CBPeripheralManagerAuthorizationStatus.authorized"
        ),
        (CBPeripheralManagerState.unknown.rawValue, 0, "CBPeripheralManagerState.unknown"),
        (CBPeripheralManagerState.resetting.rawValue, 1, "CBPeripheralManagerState.resetting"),
        (CBPeripheralManagerState.unsupported.rawValue, 2, "CBPeripheralManagerState.unsupported"),
        (CBPeripheralManagerState.unauthorized.rawValue, 3, "CBPeripheralManagerState.unauthorized"),
        (CBPeripheralManagerState.poweredOff.rawValue, 4, "CBPeripheralManagerState.poweredOff"),
        (CBPeripheralManagerState.poweredOn.rawValue, 5, "CBPeripheralManagerState.poweredOn"),
        (CBPeripheralManagerConnectionLatency.low.rawValue, 0, "CBPeripheralManagerConnectionLatency.low"),
        (CBPeripheralManagerConnectionLatency.medium.rawValue, 1, "CBPeripheralManagerConnectionLatency.medium"),
        (CBPeripheralManagerConnectionLatency.high.rawValue, 2, "CBPeripheralManagerConnectionLatency.high"),
        (CBError.Code.unknown.rawValue, 0, "CBError.Code.unknown"),
        (CBError.Code.invalidParameters.rawValue, 1, "CBError.Code.invalidParameters"),
        (CBError.Code.invalidHandle.rawValue, 2, "CBError.Code.invalidHandle"),
        (CBError.Code.notConnected.rawValue, 3, "CBError.Code.notConnected"),
        (CBError.Code.outOfSpace.rawValue, 4, "CBError.Code.outOfSpace"),
        (CBError.Code.operationCancelled.rawValue, 5, "CBError.Code.operationCancelled"),
        (CBError.Code.connectionTimeout.rawValue, 6, "CBError.Code.connectionTimeout"),
        (CBError.Code.peripheralDisconnected.rawValue, 7, "CBError.Code.peripheralDisconnected"),
        (CBError.Code.uuidNotAllowed.rawValue, 8, "CBError.Code.uuidNotAllowed"),
        (CBError.Code.alreadyAdvertising.rawValue, 9, "CBError.Code.alreadyAdvertising"),
        (CBError.Code.connectionFailed.rawValue, 10, "CBError.Code.connectionFailed"),
        (CBError.Code.connectionLimitReached.rawValue, 11, "CBError.Code.connectionLimitReached"),
        (CBError.Code.unkownDevice.rawValue, 12, "CBError.Code.unkownDevice"),
        ((CBError.Code.unknownDevice as CBError.Code).rawValue, 12, "CBError.Code.unknownDevice"),
        (CBError.Code.operationNotSupported.rawValue, 13, "CBError.Code.operationNotSupported"),
        (CBError.Code.peerRemovedPairingInformation.rawValue, 14, "CBError.Code.peerRemovedPairingInformation"),
        (CBError.Code.encryptionTimedOut.rawValue, 15, "CBError.Code.encryptionTimedOut"),
        (CBError.Code.tooManyLEPairedDevices.rawValue, 16, "CBError.Code.tooManyLEPairedDevices"),
        (CBATTError.Code.success.rawValue, 0, "CBATTError.Code.success"),
        (CBATTError.Code.invalidHandle.rawValue, 1, "CBATTError.Code.invalidHandle"),
        (CBATTError.Code.readNotPermitted.rawValue, 2, "CBATTError.Code.readNotPermitted"),
        (CBATTError.Code.writeNotPermitted.rawValue, 3, "CBATTError.Code.writeNotPermitted"),
        (CBATTError.Code.invalidPdu.rawValue, 4, "CBATTError.Code.invalidPdu"),
        (CBATTError.Code.insufficientAuthentication.rawValue, 5, "CBATTError.Code.insufficientAuthentication"),
        (CBATTError.Code.requestNotSupported.rawValue, 6, "CBATTError.Code.requestNotSupported"),
        (CBATTError.Code.invalidOffset.rawValue, 7, "CBATTError.Code.invalidOffset"),
        (CBATTError.Code.insufficientAuthorization.rawValue, 8, "CBATTError.Code.insufficientAuthorization"),
        (CBATTError.Code.prepareQueueFull.rawValue, 9, "CBATTError.Code.prepareQueueFull"),
        (CBATTError.Code.attributeNotFound.rawValue, 10, "CBATTError.Code.attributeNotFound"),
        (CBATTError.Code.attributeNotLong.rawValue, 11, "CBATTError.Code.attributeNotLong"),
        (CBATTError.Code.insufficientEncryptionKeySize.rawValue, 12, "CBATTError.Code.insufficientEncryptionKeySize"),
        (CBATTError.Code.invalidAttributeValueLength.rawValue, 13, "CBATTError.Code.invalidAttributeValueLength"),
        (CBATTError.Code.unlikelyError.rawValue, 14, "CBATTError.Code.unlikelyError"),
        (CBATTError.Code.insufficientEncryption.rawValue, 15, "CBATTError.Code.insufficientEncryption"),
        (CBATTError.Code.unsupportedGroupType.rawValue, 16, "CBATTError.Code.unsupportedGroupType"),
        (CBATTError.Code.insufficientResources.rawValue, 17, "CBATTError.Code.insufficientResources"),
        (
            (CBError.leGattExceededBackgroundNotificationLimit as CBError.Code).rawValue, 17,
            "CBError.leGattExceededBackgroundNotificationLimit"
        ),
        (
            CBError.Code.leGattExceededBackgroundNotificationLimit.rawValue, 17,
            "CBError.Code.leGattExceededBackgroundNotificationLimit"
        ),
        (
            (CBError.leGattNearBackgroundNotificationLimit as CBError.Code).rawValue, 18,
            "CBError.leGattNearBackgroundNotificationLimit"
        ),
        (
            CBError.Code.leGattNearBackgroundNotificationLimit.rawValue, 18,
            "CBError.Code.leGattNearBackgroundNotificationLimit"
        ),
        (
            (CBError.channelSoundingConfigurationFailed as CBError.Code).rawValue, 19,
            "CBError.channelSoundingConfigurationFailed"
        ),
        (
            CBError.Code.channelSoundingConfigurationFailed.rawValue, 19,
            "CBError.Code.channelSoundingConfigurationFailed"
        ),
        (
            (CBError.channelSoundingProcedureFailed as CBError.Code).rawValue, 20,
            "CBError.channelSoundingProcedureFailed"
        ),
        (CBError.Code.channelSoundingProcedureFailed.rawValue, 20, "CBError.Code.channelSoundingProcedureFailed"),
        (Int(CBCentralManager.Feature.channelSounding.rawValue), 1024, "CBCentralManager.Feature.channelSounding"),
        (
            CBChannelSoundingSessionConfiguration.Role.initiator.rawValue, 0,
            "CBChannelSoundingSessionConfiguration.Role.initiator"
        ),
    ]

    static let texts: [(String, String, String)] = [
        (CBAdvertisementDataLocalNameKey, "kCBAdvDataLocalName", "CBAdvertisementDataLocalNameKey"),
        (CBAdvertisementDataTxPowerLevelKey, "kCBAdvDataTxPowerLevel", "CBAdvertisementDataTxPowerLevelKey"),
        (CBAdvertisementDataServiceUUIDsKey, "kCBAdvDataServiceUUIDs", "CBAdvertisementDataServiceUUIDsKey"),
        (CBAdvertisementDataServiceDataKey, "kCBAdvDataServiceData", "CBAdvertisementDataServiceDataKey"),
        (
            CBAdvertisementDataManufacturerDataKey, "kCBAdvDataManufacturerData",
            "CBAdvertisementDataManufacturerDataKey"
        ),
        (
            CBAdvertisementDataOverflowServiceUUIDsKey, "kCBAdvDataHashedServiceUUIDs",
            "CBAdvertisementDataOverflowServiceUUIDsKey"
        ),
        (CBAdvertisementDataIsConnectable, "kCBAdvDataIsConnectable", "CBAdvertisementDataIsConnectable"),
        (
            CBAdvertisementDataSolicitedServiceUUIDsKey, "kCBAdvDataSolicitedServiceUUIDs",
            "CBAdvertisementDataSolicitedServiceUUIDsKey"
        ),
        (
            CBCentralManagerOptionShowPowerAlertKey, "kCBInitOptionShowPowerAlert",
            "CBCentralManagerOptionShowPowerAlertKey"
        ),
        (
            CBCentralManagerOptionRestoreIdentifierKey, "kCBInitOptionRestoreIdentifier",
            "CBCentralManagerOptionRestoreIdentifierKey"
        ),
        (
            CBCentralManagerScanOptionAllowDuplicatesKey, "kCBScanOptionAllowDuplicates",
            "CBCentralManagerScanOptionAllowDuplicatesKey"
        ),
        (
            CBCentralManagerScanOptionSolicitedServiceUUIDsKey, "kCBScanOptionSolicitedServiceUUIDs",
            "CBCentralManagerScanOptionSolicitedServiceUUIDsKey"
        ),
        (
            CBConnectPeripheralOptionNotifyOnConnectionKey, "kCBConnectOptionNotifyOnConnection",
            "CBConnectPeripheralOptionNotifyOnConnectionKey"
        ),
        (
            CBConnectPeripheralOptionNotifyOnDisconnectionKey, "kCBConnectOptionNotifyOnDisconnection",
            "CBConnectPeripheralOptionNotifyOnDisconnectionKey"
        ),
        (
            CBConnectPeripheralOptionNotifyOnNotificationKey, "kCBConnectOptionNotifyOnNotification",
            "CBConnectPeripheralOptionNotifyOnNotificationKey"
        ),
        (
            CBConnectPeripheralOptionStartDelayKey, "kCBConnectOptionStartDelay",
            "CBConnectPeripheralOptionStartDelayKey"
        ),
        (
            CBConnectPeripheralOptionEnableTransportBridgingKey, "kCBConnectOptionEnableTransportBridging",
            "CBConnectPeripheralOptionEnableTransportBridgingKey"
        ),
        (
            CBConnectPeripheralOptionRequiresANCS, "kCBConnectOptionRequiresANCS",
            "CBConnectPeripheralOptionRequiresANCS"
        ),
        (
            CBCentralManagerRestoredStatePeripheralsKey, "kCBRestoredPeripherals",
            "CBCentralManagerRestoredStatePeripheralsKey"
        ),
        (
            CBCentralManagerRestoredStateScanServicesKey, "kCBRestoredScanServices",
            "CBCentralManagerRestoredStateScanServicesKey"
        ),
        (
            CBCentralManagerRestoredStateScanOptionsKey, "kCBRestoredScanOptions",
            "CBCentralManagerRestoredStateScanOptionsKey"
        ),
        (
            CBConnectionEventMatchingOption.serviceUUIDs.rawValue, "kCBConnectionEventMatchingOptionServiceUUIDs",
            "CBConnectionEventMatchingOption.serviceUUIDs"
        ),
        (
            CBConnectionEventMatchingOption.peripheralUUIDs.rawValue, "kCBConnectionEventMatchingOptionPeripheralUUIDs",
            "CBConnectionEventMatchingOption.peripheralUUIDs"
        ),
        (CBErrorDomain, "CBErrorDomain", "CBErrorDomain"),
        (CBError.errorDomain, "CBErrorDomain", "CBError.errorDomain"),
        (CBATTErrorDomain, "CBATTErrorDomain", "CBATTErrorDomain"),
        (CBATTError.errorDomain, "CBATTErrorDomain", "CBATTError.errorDomain"),
        (
            CBPeripheralManagerOptionShowPowerAlertKey, "kCBInitOptionShowPowerAlert",
            "CBPeripheralManagerOptionShowPowerAlertKey"
        ),
        (
            CBPeripheralManagerOptionRestoreIdentifierKey, "kCBInitOptionRestoreIdentifier",
            "CBPeripheralManagerOptionRestoreIdentifierKey"
        ),
        (
            CBPeripheralManagerRestoredStateServicesKey, "kCBRestoredServices",
            "CBPeripheralManagerRestoredStateServicesKey"
        ),
        (
            CBPeripheralManagerRestoredStateAdvertisementDataKey, "kCBRestoredAdvertisement",
            "CBPeripheralManagerRestoredStateAdvertisementDataKey"
        ),
        (CBUUIDCharacteristicExtendedPropertiesString, "2900", "CBUUIDCharacteristicExtendedPropertiesString"),
        (CBUUIDCharacteristicUserDescriptionString, "2901", "CBUUIDCharacteristicUserDescriptionString"),
        (CBUUIDClientCharacteristicConfigurationString, "2902", "CBUUIDClientCharacteristicConfigurationString"),
        (CBUUIDServerCharacteristicConfigurationString, "2903", "CBUUIDServerCharacteristicConfigurationString"),
        (CBUUIDCharacteristicFormatString, "2904", "CBUUIDCharacteristicFormatString"),
        (CBUUIDCharacteristicAggregateFormatString, "2905", "CBUUIDCharacteristicAggregateFormatString"),
        (CBUUIDCharacteristicValidRangeString, "2906", "CBUUIDCharacteristicValidRangeString"),
        (
            CBUUIDL2CAPPSMCharacteristicString, "ABDD3056-28FA-441D-A470-55A75A52553A",
            "CBUUIDL2CAPPSMCharacteristicString"
        ),
        (
            CBConnectPeripheralOptionEnableAutoReconnect, "kCBConnectOptionEnableAutoReconnect",
            "CBConnectPeripheralOptionEnableAutoReconnect"
        ),
        (
            CBCentralManagerOptionDeviceAccessForMedia, "kCBInitOptionDeviceAccessForMedia",
            "CBCentralManagerOptionDeviceAccessForMedia"
        ),
        (CBUUIDCharacteristicObservationScheduleString, "2910", "CBUUIDCharacteristicObservationScheduleString"),
    ]
}
