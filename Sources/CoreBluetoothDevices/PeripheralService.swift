import CoreBluetooth
import HaraldDevices

/// A service of a peripheral, by the names of its declaration.
@dynamicMemberLookup
public struct PeripheralService<Declaration: ServiceDeclaration> {
    /// The device.
    public let peripheral: CBPeripheral
    let declaration: Declaration

    /// The service; nil before it is discovered, and where the device does not have it.
    public var service: CBService? { peripheral.service(declaration.uuid) }

    /// A characteristic by its name in the declaration.
    public subscript<Value: GATTValue>(
        dynamicMember path: KeyPath<Declaration, Attribute<Value>>
    ) -> PeripheralAttribute<Value> {
        PeripheralAttribute(peripheral: peripheral, service: declaration.uuid, uuid: declaration[keyPath: path].uuid)
    }

    /// Writes what turns it on.
    public func turnOn() throws(PeripheralDriverError) { try write(declaration.turningOn) }
    /// Writes what lets it rest.
    public func turnOff() throws(PeripheralDriverError) { try write(declaration.turningOff) }

    /// Writes settings in their order.
    public func write(_ settings: [Setting]) throws(PeripheralDriverError) {
        for setting in settings {
            let attribute = PeripheralAttribute<SerialBytes>(
                peripheral: peripheral, service: declaration.uuid, uuid: setting.attribute)
            try attribute.write(bytes: encoded(setting.value))
        }
    }
}

func encoded(_ value: some GATTValue) throws(PeripheralDriverError) -> [UInt8] {
    do throws(ValueError) { return try value.encoded() } catch { throw .value(error) }
}
