import CoreBluetooth
import Testing

// Facts about the public API of CoreBluetooth, one line a symbol: this file compiles where each is there with its type.

@available(*, deprecated)
func typesOfTheAPI() {
    descends(CBATTRequest.self, NSObject.self)
    descends(CBAttribute.self, NSObject.self)
    descends(CBCentral.self, CBPeer.self)
    integerEnum(CBCentralManagerState.self)
    integerEnum(CBConnectionEvent.self)
    optionSet(CBCentralManager.Feature.self)
    descends(CBCentralManager.self, CBManager.self)
    _ = (any CBCentralManagerDelegate).self as Any.Type
    hashable(CBConnectionEventMatchingOption.self)
    optionSet(CBCharacteristicProperties.self)
    descends(CBCharacteristic.self, CBAttribute.self)
    optionSet(CBAttributePermissions.self)
    descends(CBMutableCharacteristic.self, CBCharacteristic.self)
    descends(CBDescriptor.self, CBAttribute.self)
    descends(CBMutableDescriptor.self, CBDescriptor.self)
    storedError(CBError.self)
    storedError(CBATTError.self)
    let _: UInt16.Type = CBL2CAPPSM.self
    descends(CBL2CAPChannel.self, NSObject.self)
    descends(CBManager.self, NSObject.self)
    integerEnum(CBManagerState.self)
    integerEnum(CBManagerAuthorization.self)
    descends(CBPeer.self, NSObject.self)
    copying(CBPeer.self)
    integerEnum(CBPeripheralState.self)
    integerEnum(CBCharacteristicWriteType.self)
    descends(CBPeripheral.self, CBPeer.self)
    _ = (any CBPeripheralDelegate).self as Any.Type
    integerEnum(CBPeripheralManagerAuthorizationStatus.self)
    integerEnum(CBPeripheralManagerState.self)
    integerEnum(CBPeripheralManagerConnectionLatency.self)
    descends(CBPeripheralManager.self, CBManager.self)
    _ = (any CBPeripheralManagerDelegate).self as Any.Type
    descends(CBService.self, CBAttribute.self)
    descends(CBMutableService.self, CBService.self)
    descends(CBUUID.self, NSObject.self)
    copying(CBUUID.self)
    errorCode(CBError.Code.self)
    errorCode(CBATTError.Code.self)
    descends(CBChannelSoundingProcedureResults.self, NSObject.self)
    descends(CBChannelSoundingSessionConfiguration.self, NSObject.self)
    integerEnum(CBChannelSoundingSessionConfiguration.Role.self)
}

private func optionSet<Options: OptionSet & Sendable>(_ type: Options.Type) where Options.RawValue == UInt {}
private func integerEnum<Case: RawRepresentable & Hashable & Sendable>(_ type: Case.Type) where Case.RawValue == Int {}
private func hashable<Key: RawRepresentable & Hashable>(_ type: Key.Type) where Key.RawValue == String {}
private func descends<Super: AnyObject>(_ type: Super.Type, _ parent: Super.Type) {}
private func copying(_ type: any NSCopying.Type) {}
private func errorCode<Code: _ErrorCodeProtocol & RawRepresentable & Hashable & Sendable>(_ type: Code.Type)
where Code.RawValue == Int {}
private func storedError<Failure: _BridgedStoredNSError & Error & Hashable>(_ type: Failure.Type) {}
