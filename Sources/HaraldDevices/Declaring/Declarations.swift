import BluetoothProfiles
import Harald

/// A declarative description of a device. Its stored properties are its services; code addresses them by their names.
///
///     struct RoomSensor: DeviceDeclaration {
///         let environment = EnvironmentalSensingService()
///         let battery = BatteryService()
///     }
public protocol DeviceDeclaration: Sendable {
    /// Creates the declaration.
    init()
    /// Returns true if an advertisement is from such a device. The default implementation calls
    /// ``matches(name:services:)``.
    static func matches(_ result: ScanResult) -> Bool
    /// Returns true if a device that advertises this name and these services is of this kind. The default
    /// implementation looks for one of the required services.
    static func matches(name: String?, services: [BluetoothUUID]) -> Bool
    /// Minimum security level of the link before discovery. Default `none`: attributes that require more raise the
    /// level when they are read.
    static var security: LinkSecurity.Level { get }
}

extension DeviceDeclaration {
    /// No security is required before discovery.
    public static var security: LinkSecurity.Level { .none }
}

/// A service of a device. Its stored properties of type ``Attribute`` are its characteristics.
public protocol ServiceDeclaration: Sendable {
    /// The service UUID.
    var uuid: BluetoothUUID { get }
    /// True if a matching device must have this service. Default true.
    var isRequired: Bool { get }
    /// Writes that activate the service, in order. Default none.
    var turningOn: [CharacteristicWrite] { get }
    /// Writes that deactivate the service, in order. Default none.
    var turningOff: [CharacteristicWrite] { get }
}

extension ServiceDeclaration {
    /// The service is required.
    public var isRequired: Bool { true }
    /// No writes are needed.
    public var turningOn: [CharacteristicWrite] { [] }
    /// No writes are needed.
    public var turningOff: [CharacteristicWrite] { [] }
}

/// A characteristic of a declared service, with the type of its value.
public struct Attribute<Value: GATTValue>: Sendable {
    /// The characteristic UUID.
    public let uuid: BluetoothUUID
    /// True if a matching device must have this characteristic whenever it has the service.
    public let isRequired: Bool

    /// A characteristic with a vendor-specific UUID.
    public init(_ uuid: BluetoothUUID, as type: Value.Type = Value.self, required: Bool = true) {
        self.uuid = uuid
        isRequired = required
    }

    /// Returns the write of `value` to this characteristic.
    public func set(_ value: Value) -> CharacteristicWrite { CharacteristicWrite(attribute: uuid, value: value) }
}

extension Attribute where Value: CharacteristicType {
    /// A characteristic with the assigned UUID of its type.
    public init(_ type: Value.Type = Value.self, required: Bool = true) { self.init(Value.uuid, required: required) }
}

/// A characteristic and the value to write to it.
public struct CharacteristicWrite: Sendable {
    /// The characteristic UUID.
    public let attribute: BluetoothUUID
    /// The value to write.
    public let value: any GATTValue
}

/// A vendor-specific base UUID. An offset replaces its bits 96 to 111.
public struct BaseUUID: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The base UUID.
    public let uuid: BluetoothUUID

    /// Creates a base.
    public init(_ uuid: BluetoothUUID) { self.uuid = uuid }

    /// Creates a base from its 36 characters. Traps if they are malformed, like a literal of ``BluetoothUUID``.
    public init(stringLiteral text: String) { uuid = BluetoothUUID(stringLiteral: text) }

    /// The UUID at an offset.
    public subscript(_ offset: UInt16) -> BluetoothUUID {
        BluetoothUUID(high: uuid.high & ~(0xFFFF << 32) | UInt64(offset) << 32, low: uuid.low)
    }
}

/// The part of an ``Attribute`` that reflection over a declaration reads.
package protocol DeclaredAttribute: Sendable {
    var uuid: BluetoothUUID { get }
    var isRequired: Bool { get }
}

extension Attribute: DeclaredAttribute {}

/// A declared service with its property name in the declaration of its device.
package struct DeclaredService {
    package var name: String
    package var service: any ServiceDeclaration
    package var attributes: [(name: String, attribute: any DeclaredAttribute)]

    package static func all(of device: some DeviceDeclaration) -> [DeclaredService] {
        Mirror(reflecting: device).children.compactMap { child in
            guard let name = child.label, let service = child.value as? any ServiceDeclaration else { return nil }
            return DeclaredService(
                name: name, service: service,
                attributes: Mirror(reflecting: service).children.compactMap { child in
                    guard let name = child.label, let attribute = child.value as? any DeclaredAttribute else {
                        return nil
                    }
                    return (name, attribute)
                })
        }
    }
}

extension DeviceDeclaration {
    /// Matches by advertised name and services.
    public static func matches(_ result: ScanResult) -> Bool {
        matches(name: result.name, services: result.services)
    }

    /// Returns true if one of the required services is advertised.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        DeclaredService.all(of: Self()).contains { $0.service.isRequired && services.contains($0.service.uuid) }
    }

    /// The property names of the declaration, for ``Peripheral/names``.
    static var names: AttributeNames {
        let entries = DeclaredService.all(of: Self()).map { declared in
            let characteristics = declared.attributes.map { ($0.name, $0.attribute.uuid) }
            return (
                declared.name,
                AttributeNames.Entry(
                    declared.service.uuid, Dictionary(characteristics, uniquingKeysWith: { first, _ in first }))
            )
        }
        return AttributeNames(Dictionary(entries, uniquingKeysWith: { first, _ in first }))
    }
}
