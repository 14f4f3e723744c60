import CoreBluetooth
import HaraldDevices

/// A `CBPeripheral` with typed access to the attributes of a declaration, checked at compile time.
///
/// It sends requests and decodes values. Results are delivered to the peripheral's own delegate, which stays in place:
///
///     strap = PeripheralDriver<HeartRateStrap>(peripheral)
///     // when it is connected
///     strap.discoverServices()
///     // in peripheral(_:didDiscoverServices:)
///     try strap.discoverCharacteristics()
///     // in peripheral(_:didDiscoverCharacteristicsFor:error:)
///     if try strap.isDiscovered() { try strap.heartRate.measurement.setNotify(true) }
///     // in peripheral(_:didUpdateValueFor:error:)
///     if let value = try strap.heartRate.measurement.value(of: characteristic) { print(value.rate) }
@dynamicMemberLookup
public struct PeripheralDriver<Device: DeviceDeclaration> {
    /// The peripheral. The driver does not set its delegate.
    public let peripheral: CBPeripheral
    private let declaration: Device

    /// Creates a driver.
    public init(_ peripheral: CBPeripheral, as type: Device.Type = Device.self) {
        self.peripheral = peripheral
        declaration = Device()
    }

    /// Returns a service by its name in the declaration.
    public subscript<Service: ServiceDeclaration>(
        dynamicMember path: KeyPath<Device, Service>
    ) -> PeripheralService<Service> {
        PeripheralService(peripheral: peripheral, declaration: declaration[keyPath: path])
    }

    // MARK: Discovery

    /// Discovers the declared services and no others.
    public func discoverServices() { peripheral.discoverServices(Device.serviceUUIDs) }

    /// Discovers the declared characteristics of the discovered services.
    /// - Throws: ``PeripheralDriverError/missing(_:device:)`` that names a required service that the device does not
    ///   have.
    public func discoverCharacteristics() throws(PeripheralDriverError) {
        for declared in DeclaredService.all(of: declaration) {
            guard let service = peripheral.service(declared.service.uuid) else {
                guard declared.service.isRequired else { continue }
                throw .missing("service \(declared.name) (\(declared.service.uuid))", device: "\(Device.self)")
            }
            peripheral.discoverCharacteristics(
                declared.attributes.map { CBUUID(declared: $0.attribute.uuid) }, for: service)
        }
    }

    /// Returns true if the characteristics of all services of the device have been discovered.
    /// - Throws: ``PeripheralDriverError/missing(_:device:)`` that names a required characteristic that a service does
    ///   not have.
    public func isDiscovered() throws(PeripheralDriverError) -> Bool {
        for declared in DeclaredService.all(of: declaration) {
            guard let service = peripheral.service(declared.service.uuid) else {
                if declared.service.isRequired { return false }
                continue
            }
            guard let found = service.characteristics else { return false }
            let uuids = Set(found.map(\.uuid.declared))
            for (name, attribute) in declared.attributes where attribute.isRequired && !uuids.contains(attribute.uuid) {
                throw .missing("characteristic \(declared.name).\(name) (\(attribute.uuid))", device: "\(Device.self)")
            }
        }
        return true
    }
}

extension CBPeripheral {
    /// Returns the discovered service; nil if it was not discovered.
    func service(_ uuid: BluetoothUUID) -> CBService? { services?.first { $0.uuid.declared == uuid } }
}

/// The error of a peripheral that does not match its declaration.
public enum PeripheralDriverError: Error, Hashable, CustomStringConvertible {
    /// The device does not have a required service or characteristic.
    case missing(String, device: String)
    /// A characteristic that the device does not have, or that has not been discovered yet.
    case notDiscovered(BluetoothUUID)
    /// The value cannot be encoded.
    case value(ValueError)

    /// The cause, with a hint.
    public var description: String {
        switch self {
        case .missing(let what, let device): "it has no \(what): is it a \(device)?"
        case .notDiscovered(let uuid):
            "characteristic \(AssignedNumbers.name(of: uuid) ?? uuid.description) is missing or not discovered"
        case .value(let error): "\(error)"
        }
    }
}
