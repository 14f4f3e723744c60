import BluetoothBackend
import BluetoothModel
import SystemBus

/// A descriptor of a remote device (`org.bluez.GattDescriptor1`). Confined to the loop.
final class DescriptorObject: ValueObject {
    let found: RemoteDescriptor
    let characteristic: String
    private let device: DeviceLink

    init(_ found: RemoteDescriptor, characteristic: String, device: DeviceLink) {
        self.found = found
        self.characteristic = characteristic
        self.device = device
        super.init(path: characteristic + "/desc" + found.id.pathDigits)
    }

    override var interfaces: [Interface] { [.gattDescriptor] }

    func read(_ call: BusCall) throws(BusError) -> Interface.Reply {
        try read(found.id, .gattDescriptor, over: device, call)
    }

    func write(_ call: BusCall) throws(BusError) -> Interface.Reply {
        let link = try device.connected()
        let options = try ValueOptions(call.options(1))
        // Clients subscribe with StartNotify.
        if found.uuid == 0x2902 { throw .notPermitted("Write not permitted") }
        if options.offset > 0 { throw .notSupported }
        link.write(call.arguments[0].bytes ?? [], to: found.id, timeout: nil) { result in
            call.respond(result.map { [] }.mapError { .attribute($0) })
        }
        return .later
    }
}

extension ValueObject {
    /// Reads the value of an attribute from the device.
    final func read(
        _ id: AttributeID, _ interface: Interface, over device: DeviceLink, _ call: BusCall
    ) throws(BusError) -> Interface.Reply {
        let link = try device.connected()
        let options = try ValueOptions(call.options(0))
        link.read(id, timeout: nil) { [weak self] result in
            switch result {
            case .success(let view):
                let value = view.array
                self?.received(value, interface)
                call.respond(Result { () throws(BusError) in [.bytes(try options.part(of: value))] })
            case .failure(let error): call.respond(.failure(.attribute(error)))
            }
        }
        return .later
    }
}

extension Interface {
    /// `org.bluez.GattDescriptor1`.
    static let gattDescriptor: Interface = Interface(
        name: "org.bluez.GattDescriptor1",
        properties: [
            Property("UUID", "s") { (descriptor: DescriptorObject) in .string(descriptor.found.uuid.bluezText) },
            Property("Characteristic", "o") { (descriptor: DescriptorObject) in .path(descriptor.characteristic) },
            Property("Value", "ay") { (descriptor: DescriptorObject) in .bytes(descriptor.value) },
        ],
        methods: [
            Method("ReadValue", in: [.init("options", "a{sv}")], out: [.init("value", "ay")]) {
                (descriptor: DescriptorObject, call) throws(BusError) in try descriptor.read(call)
            },
            Method("WriteValue", in: [.init("value", "ay"), .init("options", "a{sv}")]) {
                (descriptor: DescriptorObject, call) throws(BusError) in try descriptor.write(call)
            },
        ])
}
