import BluetoothProfiles
import Harald

/// A device, declared once: its stored properties are its services, and their names are the names that code uses.
///
///     struct RoomSensor: DeviceDeclaration {
///         let environment = EnvironmentalSensingService()
///         let battery = BatteryService()
///     }
public protocol DeviceDeclaration: Sendable {
    /// The declaration.
    init()
    /// Whether what was heard is such a device; by default what ``matches(name:services:)`` says.
    static func matches(_ discovery: Discovery) -> Bool
    /// Whether a device that advertises this name and these services is one; by default, whether one of the services
    /// that are required is among them.
    static func matches(name: String?, services: [BluetoothUUID]) -> Bool
    /// How the link has to be protected before anything else happens; by default not at all, and values that ask for more
    /// get it when they are read.
    static var security: LinkSecurity.Level { get }
}

extension DeviceDeclaration {
    /// Nothing has to be protected beforehand.
    public static var security: LinkSecurity.Level { .none }
}

/// A service of a device: its stored properties of the type ``Attribute`` are its characteristics.
public protocol ServiceDeclaration: Sendable {
    /// What it is.
    var uuid: BluetoothUUID { get }
    /// Whether a device without it is none of its kind; by default it is.
    var isRequired: Bool { get }
    /// What is written, in this order, before it does what it is for; by default nothing.
    var turningOn: [Setting] { get }
    /// What is written so that it rests; by default nothing.
    var turningOff: [Setting] { get }
}

extension ServiceDeclaration {
    /// A device without it is none of its kind.
    public var isRequired: Bool { true }
    /// Nothing is to be written.
    public var turningOn: [Setting] { [] }
    /// Nothing is to be written.
    public var turningOff: [Setting] { [] }
}

/// A characteristic of a declared service, and what its value means.
public struct Attribute<Value: GATTValue>: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// Whether a service without it is none of its kind.
    public let isRequired: Bool

    /// A characteristic with a UUID of its maker's.
    public init(_ uuid: BluetoothUUID, as type: Value.Type = Value.self, required: Bool = true) {
        self.uuid = uuid
        isRequired = required
    }

    /// This characteristic with that value, as something to write.
    public func set(_ value: Value) -> Setting { Setting(attribute: uuid, value: value) }
}

extension Attribute where Value: CharacteristicType {
    /// A characteristic with the assigned UUID of its type.
    public init(_ type: Value.Type = Value.self, required: Bool = true) { self.init(Value.uuid, required: required) }
}

/// A value for a characteristic.
public struct Setting: Sendable {
    /// The characteristic.
    public let attribute: BluetoothUUID
    /// The value.
    public let value: any GATTValue
}

/// A UUID of a maker's from which others come: the offset takes the place of the bits 96 to 111.
public struct BaseUUID: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The base.
    public let uuid: BluetoothUUID

    /// A base.
    public init(_ uuid: BluetoothUUID) { self.uuid = uuid }

    /// A base from its 36 characters; traps when it is malformed, as a literal of ``BluetoothUUID`` does.
    public init(stringLiteral text: String) { uuid = BluetoothUUID(stringLiteral: text) }

    /// The UUID at an offset.
    public subscript(_ offset: UInt16) -> BluetoothUUID {
        BluetoothUUID(high: uuid.high & ~(0xFFFF << 32) | UInt64(offset) << 32, low: uuid.low)
    }
}

/// What is read of a declaration by its stored properties.
package protocol DeclaredAttribute: Sendable {
    var uuid: BluetoothUUID { get }
    var isRequired: Bool { get }
}

extension Attribute: DeclaredAttribute {}

/// A service with its name in the declaration of its device.
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
    /// What its name and its services say.
    public static func matches(_ discovery: Discovery) -> Bool {
        matches(name: discovery.name, services: discovery.services)
    }

    /// Whether one of the required services is advertised.
    public static func matches(name: String?, services: [BluetoothUUID]) -> Bool {
        DeclaredService.all(of: Self()).contains { $0.service.isRequired && services.contains($0.service.uuid) }
    }

    /// The names of the declaration, for ``Peripheral/names``.
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
