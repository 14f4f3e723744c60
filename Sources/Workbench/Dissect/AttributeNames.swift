import BluetoothHCI
import BluetoothHost
import BluetoothModel

/// The types of a server's attributes, learned from discoveries.
final class AttributeNames {
    private var types: [UInt16: BluetoothUUID] = [:]
    private var services: [GATTService] = []

    subscript(handle: UInt16) -> BluetoothUUID? {
        get { types[handle] }
        set { types[handle] = newValue }
    }

    func service(of handle: UInt16) -> BluetoothUUID? { services.first { $0.range.contains(handle) }?.uuid }

    func add(_ service: GATTService) {
        if let change = ServiceChange(adding: service, to: &services) {
            types = types.filter { !change.replaces($0.key) }
        }
        types[service.handle] = service.isPrimary ? GATTType.primaryService : GATTType.secondaryService
    }

    func add(_ characteristic: GATTCharacteristic) {
        types[characteristic.declarationHandle] = GATTType.characteristic
        types[characteristic.valueHandle] = characteristic.uuid
    }

    /// Adds a descriptor, unless the type of the attribute is already known.
    func add(_ descriptor: GATTDescriptor) { types[descriptor.handle] = types[descriptor.handle] ?? descriptor.uuid }

    /// True if the values of an attribute may be keys.
    var hasKeys: Bool { types.values.contains { !Disclosure.shows(valueOf: $0) } }

    /// Returns the value of attributes in hexadecimal, unless it may contain a key.
    func hex(_ value: ByteView, of handles: [UInt16]) -> String {
        let isShown = handles.allSatisfy { types[$0].map { Disclosure.shows(valueOf: $0) } ?? true }
        return isShown ? Dissector.hex(value) : PacketLayout.concealed(value.count)
    }

    /// Returns the handle, and the name of the type if it is known: "#0x0012 Battery Level".
    func text(_ handle: UInt16) -> String {
        let number = "#" + PacketLayout.hex(UInt64(handle), digits: 4)
        return types[handle].map { "\(number) \(AssignedNumbers.name(of: $0) ?? "\($0)")" } ?? number
    }
}

/// A service that a discovery found where an earlier one had found others: the device has changed its attributes.
struct ServiceChange {
    private let new: GATTService
    private let old: [GATTService]

    /// Adds a service to those that a device has, in place of the services that it overlaps. Returns nil if they
    /// already contain it.
    init?(adding service: GATTService, to services: inout [GATTService]) {
        guard !services.contains(where: { $0.uuid == service.uuid && $0.range == service.range }) else { return nil }
        new = service
        old = services.filter { $0.range.overlaps(service.range) }
        services.removeAll { $0.range.overlaps(service.range) }
        services.append(service)
    }

    /// Returns true if the attribute with a handle does not exist any more. A service that only ends elsewhere keeps
    /// its attributes.
    func replaces(_ handle: UInt16) -> Bool {
        guard let owner = old.first(where: { $0.range.contains(handle) }) else { return false }
        return owner.uuid != new.uuid || owner.handle != new.handle || !new.range.contains(handle)
    }
}
