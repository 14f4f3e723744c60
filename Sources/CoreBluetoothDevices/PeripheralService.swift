import CoreBluetooth
import HaraldDevices

/// A service of a `CBPeripheral`, with typed access to the attributes of its declaration.
@dynamicMemberLookup
public struct PeripheralService<Declaration: ServiceDeclaration> {
    /// The peripheral.
    public let peripheral: CBPeripheral
    let declaration: Declaration

    /// The discovered service; nil before discovery and if the device does not have it.
    public var service: CBService? { peripheral.service(declaration.uuid) }

    /// Returns a characteristic by its name in the declaration.
    public subscript<Value: GATTValue>(
        dynamicMember path: KeyPath<Declaration, Attribute<Value>>
    ) -> PeripheralAttribute<Value> {
        PeripheralAttribute(peripheral: peripheral, service: declaration.uuid, uuid: declaration[keyPath: path].uuid)
    }

    /// Performs the writes that activate the service.
    /// - Throws: ``PeripheralDriverError`` as ``write(_:)`` does.
    public func turnOn() throws(PeripheralDriverError) { try write(declaration.turningOn) }
    /// Performs the writes that deactivate the service.
    /// - Throws: ``PeripheralDriverError`` as ``write(_:)`` does.
    public func turnOff() throws(PeripheralDriverError) { try write(declaration.turningOff) }

    /// Performs the writes in order. Stops at the first error.
    /// - Throws: ``PeripheralDriverError/value(_:)`` if a value cannot be encoded,
    ///   ``PeripheralDriverError/notDiscovered(_:)`` if a characteristic was not discovered.
    public func write(_ writes: [CharacteristicWrite]) throws(PeripheralDriverError) {
        for item in writes {
            let attribute = PeripheralAttribute<SerialBytes>(
                peripheral: peripheral, service: declaration.uuid, uuid: item.attribute)
            try attribute.write(bytes: encoded(item.value))
        }
    }
}

func encoded(_ value: some GATTValue) throws(PeripheralDriverError) -> [UInt8] {
    do throws(ValueError) { return try value.encoded() } catch { throw .value(error) }
}
