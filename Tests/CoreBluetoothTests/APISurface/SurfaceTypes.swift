import CoreBluetooth
import Testing

// Written by Scripts/generate-api-surface.

@available(*, deprecated)
func checkTypes(_ surface: Surface) {
    surface.note("CBATTRequest")
    let _: (CBATTRequest) -> NSObject = { $0 }
    surface.note("CBAttribute")
    let _: (CBAttribute) -> NSObject = { $0 }
    surface.note("CBCentral")
    let _: (CBCentral) -> CBPeer = { $0 }
    surface.note("CBCentralManagerState")
    integerEnum(CBCentralManagerState.self)
    surface.note("CBConnectionEvent")
    integerEnum(CBConnectionEvent.self)
    surface.note("CBCentralManager.Feature")
    optionSet(CBCentralManager.Feature.self)
    surface.note("CBCentralManager")
    let _: (CBCentralManager) -> CBManager = { $0 }
    surface.note("CBCentralManagerDelegate")
    let _: (any CBCentralManagerDelegate) -> any NSObjectProtocol = { $0 }
    surface.note("CBConnectionEventMatchingOption")
    hashable(CBConnectionEventMatchingOption.self)
    surface.note("CBCharacteristicProperties")
    optionSet(CBCharacteristicProperties.self)
    surface.note("CBCharacteristic")
    let _: (CBCharacteristic) -> CBAttribute = { $0 }
    surface.note("CBAttributePermissions")
    optionSet(CBAttributePermissions.self)
    surface.note("CBMutableCharacteristic")
    let _: (CBMutableCharacteristic) -> CBCharacteristic = { $0 }
    surface.note("CBDescriptor")
    let _: (CBDescriptor) -> CBAttribute = { $0 }
    surface.note("CBMutableDescriptor")
    let _: (CBMutableDescriptor) -> CBDescriptor = { $0 }
    surface.note("CBError")
    storedError(CBError.self)
    surface.note("CBATTError")
    storedError(CBATTError.self)
    surface.note("CBL2CAPPSM")
    let _: UInt16.Type = CBL2CAPPSM.self
    surface.note("CBL2CAPChannel")
    let _: (CBL2CAPChannel) -> NSObject = { $0 }
    surface.note("CBManager")
    let _: (CBManager) -> NSObject = { $0 }
    surface.note("CBManagerState")
    integerEnum(CBManagerState.self)
    surface.note("CBManagerAuthorization")
    integerEnum(CBManagerAuthorization.self)
    surface.note("CBPeer")
    let _: (CBPeer) -> NSObject = { $0 }
    copying(CBPeer.self)
    surface.note("CBPeripheralState")
    integerEnum(CBPeripheralState.self)
    surface.note("CBCharacteristicWriteType")
    integerEnum(CBCharacteristicWriteType.self)
    surface.note("CBPeripheral")
    let _: (CBPeripheral) -> CBPeer = { $0 }
    surface.note("CBPeripheralDelegate")
    let _: (any CBPeripheralDelegate) -> any NSObjectProtocol = { $0 }
    surface.note("CBPeripheralManagerAuthorizationStatus")
    integerEnum(CBPeripheralManagerAuthorizationStatus.self)
    surface.note("CBPeripheralManagerState")
    integerEnum(CBPeripheralManagerState.self)
    surface.note("CBPeripheralManagerConnectionLatency")
    integerEnum(CBPeripheralManagerConnectionLatency.self)
    surface.note("CBPeripheralManager")
    let _: (CBPeripheralManager) -> CBManager = { $0 }
    surface.note("CBPeripheralManagerDelegate")
    let _: (any CBPeripheralManagerDelegate) -> any NSObjectProtocol = { $0 }
    surface.note("CBService")
    let _: (CBService) -> CBAttribute = { $0 }
    surface.note("CBMutableService")
    let _: (CBMutableService) -> CBService = { $0 }
    surface.note("CBUUID")
    let _: (CBUUID) -> NSObject = { $0 }
    copying(CBUUID.self)
    surface.note("CBError.Code")
    errorCode(CBError.Code.self)
    surface.note("CBATTError.Code")
    errorCode(CBATTError.Code.self)
    surface.note("CBChannelSoundingProcedureResults")
    let _: (CBChannelSoundingProcedureResults) -> NSObject = { $0 }
    surface.note("CBChannelSoundingSessionConfiguration")
    let _: (CBChannelSoundingSessionConfiguration) -> NSObject = { $0 }
    surface.note("CBChannelSoundingSessionConfiguration.Role")
    integerEnum(CBChannelSoundingSessionConfiguration.Role.self)
}
