import CoreBluetooth
import Testing

// Facts about the public API of CoreBluetooth, one line a symbol: this file compiles where each is there with its type.

@available(*, deprecated)
func typesOfTheAPI() {
    let _: (CBATTRequest) -> NSObject = { $0 }
    let _: (CBAttribute) -> NSObject = { $0 }
    let _: (CBCentral) -> CBPeer = { $0 }
    integerEnum(CBCentralManagerState.self)
    integerEnum(CBConnectionEvent.self)
    optionSet(CBCentralManager.Feature.self)
    let _: (CBCentralManager) -> CBManager = { $0 }
    _ = (any CBCentralManagerDelegate).self as Any.Type
    hashable(CBConnectionEventMatchingOption.self)
    optionSet(CBCharacteristicProperties.self)
    let _: (CBCharacteristic) -> CBAttribute = { $0 }
    optionSet(CBAttributePermissions.self)
    let _: (CBMutableCharacteristic) -> CBCharacteristic = { $0 }
    let _: (CBDescriptor) -> CBAttribute = { $0 }
    let _: (CBMutableDescriptor) -> CBDescriptor = { $0 }
    storedError(CBError.self)
    storedError(CBATTError.self)
    let _: UInt16.Type = CBL2CAPPSM.self
    let _: (CBL2CAPChannel) -> NSObject = { $0 }
    let _: (CBManager) -> NSObject = { $0 }
    integerEnum(CBManagerState.self)
    integerEnum(CBManagerAuthorization.self)
    let _: (CBPeer) -> NSObject = { $0 }
    copying(CBPeer.self)
    integerEnum(CBPeripheralState.self)
    integerEnum(CBCharacteristicWriteType.self)
    let _: (CBPeripheral) -> CBPeer = { $0 }
    _ = (any CBPeripheralDelegate).self as Any.Type
    integerEnum(CBPeripheralManagerAuthorizationStatus.self)
    integerEnum(CBPeripheralManagerState.self)
    integerEnum(CBPeripheralManagerConnectionLatency.self)
    let _: (CBPeripheralManager) -> CBManager = { $0 }
    _ = (any CBPeripheralManagerDelegate).self as Any.Type
    let _: (CBService) -> CBAttribute = { $0 }
    let _: (CBMutableService) -> CBService = { $0 }
    let _: (CBUUID) -> NSObject = { $0 }
    copying(CBUUID.self)
    errorCode(CBError.Code.self)
    errorCode(CBATTError.Code.self)
    let _: (CBChannelSoundingProcedureResults) -> NSObject = { $0 }
    let _: (CBChannelSoundingSessionConfiguration) -> NSObject = { $0 }
    integerEnum(CBChannelSoundingSessionConfiguration.Role.self)
}

private func optionSet<Options: OptionSet & Sendable>(_ type: Options.Type) where Options.RawValue == UInt {}
private func integerEnum<Case: RawRepresentable & Hashable & Sendable>(_ type: Case.Type) where Case.RawValue == Int {}
private func hashable<Key: RawRepresentable & Hashable>(_ type: Key.Type) where Key.RawValue == String {}
private func copying(_ type: any NSCopying.Type) {}
private func errorCode<Code: _ErrorCodeProtocol & RawRepresentable & Hashable & Sendable>(_ type: Code.Type)
where Code.RawValue == Int {}
private func storedError<Failure: _BridgedStoredNSError & Error & Hashable>(_ type: Failure.Type) {}
