import CoreBluetooth
import HaraldDevices

/// A peripheral of CoreBluetooth by the names of a declaration, which the compiler checks.
///
/// It asks and decodes; what comes back comes to the peripheral's own delegate, as always:
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
    /// The device. Its delegate is its owner's.
    public let peripheral: CBPeripheral
    private let declaration: Device

    /// A device of a kind.
    public init(_ peripheral: CBPeripheral, as type: Device.Type = Device.self) {
        self.peripheral = peripheral
        declaration = Device()
    }

    /// A service by its name in the declaration.
    public subscript<Service: ServiceDeclaration>(
        dynamicMember path: KeyPath<Device, Service>
    ) -> PeripheralService<Service> {
        PeripheralService(peripheral: peripheral, declaration: declaration[keyPath: path])
    }

    // MARK: Discovery

    /// Asks for the declared services, and for no others.
    public func discoverServices() { peripheral.discoverServices(Device.serviceUUIDs) }

    /// Asks for the declared characteristics of the services that were found.
    /// - Throws: ``PeripheralDriverError`` that names a required service which is missing.
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

    /// Whether the characteristics of all its services have been asked for and answered.
    /// - Throws: ``PeripheralDriverError`` that names a required characteristic which is missing.
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
    /// The service that was discovered.
    func service(_ uuid: BluetoothUUID) -> CBService? { services?.first { $0.uuid.declared == uuid } }
}

/// Why a peripheral cannot be used as what it is declared to be.
public enum PeripheralDriverError: Error, Hashable, CustomStringConvertible {
    /// The device does not have something that is required of its kind.
    case missing(String, device: String)
    /// A characteristic that the device does not have, or that was not discovered yet.
    case notDiscovered(BluetoothUUID)
    /// The value does not fit its layout.
    case value(ValueError)

    /// What is wrong, and what can be done.
    public var description: String {
        switch self {
        case .missing(let what, let device): "it has no \(what): is it a \(device)?"
        case .notDiscovered(let uuid):
            "the characteristic \(AssignedNumbers.name(of: uuid) ?? uuid.description) is not discovered, or not there"
        case .value(let error): "\(error)"
        }
    }
}
