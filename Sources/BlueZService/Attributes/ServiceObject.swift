import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// A service of a remote device (`org.bluez.GattService1`) and its characteristics. Confined to the loop.
final class ServiceObject: ExportedObject {
    /// The Generic Access service, whose values are properties of the device, is not exported, as `bluetoothd` does it.
    private static let hidden: Set<BluetoothUUID> = [0x1800]

    let found: FoundService
    let device: DeviceLink
    private(set) var characteristics: [CharacteristicObject] = []

    init(_ found: FoundService, device: DeviceObject) {
        self.found = found
        self.device = DeviceLink(device)
        super.init(path: Self.path(of: found.id, device: device.path))
        characteristics = found.characteristics.map { CharacteristicObject($0, service: self) }
    }

    private static func path(of id: AttributeID, device: String) -> String {
        device + "/service" + id.pathDigits
    }

    override var interfaces: [Interface] { [.gattService] }

    /// The paths of the included services.
    var included: [String] { found.included.map { Self.path(of: $0, device: device.path) } }

    private var objects: [ExportedObject] {
        if Self.hidden.contains(found.uuid) { return [] }
        return [self] + characteristics.flatMap { [$0] + $0.descriptors }
    }

    /// Exports the service and its attributes.
    func export(in tree: ObjectTree?) { for object in objects { tree?.add(object) } }

    /// Removes the service and its attributes, the innermost first.
    func withdraw() {
        for characteristic in characteristics {
            for descriptor in characteristic.descriptors { tree?.remove(descriptor) }
            tree?.remove(characteristic)
        }
        tree?.remove(self)
    }

    /// The link was established, and the attributes are those that were discovered.
    func linkResolved() { for characteristic in characteristics { characteristic.linkResolved() } }

    /// The link ended.
    func linkEnded() { for characteristic in characteristics { characteristic.linkEnded() } }

    func mtuChanged() { for characteristic in characteristics { characteristic.changed(.gattCharacteristic, ["MTU"]) } }
}

/// A device as its attributes see it: its path, and its link while there is one. Confined to the loop.
struct DeviceLink {
    let path: String
    let loop: RadioLoop
    private weak var device: DeviceObject?

    init(_ device: DeviceObject) {
        path = device.path
        loop = device.backend.loop
        self.device = device
    }

    var current: (any PeripheralLink)? { device?.link }

    /// Starts an operation for a call, when its client has a turn.
    func inTurn(_ call: BusCall, _ start: @escaping ClientTurns.Start) throws(BusError) {
        guard let device else { throw .notConnected }
        try device.turns.take(call.sender, start)
    }

    /// Answers a call with the result of an operation. The end of the link is announced before the operations that it
    /// ended.
    func answer(_ call: BusCall, _ result: Result<[BusValue], RadioError>) {
        guard case .failure(.disconnected) = result else { return call.respond(result.mapError { .attribute($0) }) }
        loop.executeNext { call.respond(result.mapError { .attribute($0) }) }
    }

    /// - Throws: `Failed` unless the device is connected.
    func connected() throws(BusError) -> any PeripheralLink {
        guard let link = current, link.isConnected else { throw .notConnected }
        return link
    }
}

extension AttributeID {
    /// The digits of the attribute in a path: `0012`.
    var pathDigits: String { UInt64(rawValue & 0xFFFF).hexText(digits: 4).lowercased() }
}

extension Interface {
    /// `org.bluez.GattService1`.
    static let gattService: Interface = Interface(
        name: "org.bluez.GattService1",
        properties: [
            Property("UUID", "s") { (service: ServiceObject) in .string(service.found.uuid.bluezText) },
            Property("Device", "o") { (service: ServiceObject) in .path(service.device.path) },
            Property("Primary", "b") { (service: ServiceObject) in .bool(service.found.isPrimary) },
            Property("Includes", "ao") { (service: ServiceObject) in
                .array(service.included.map { .path($0) }, of: "o")
            },
        ])
}
