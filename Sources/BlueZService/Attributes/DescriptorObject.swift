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
        let options = try ValueOptions(call.options(1), hasKind: false)
        // Clients subscribe with StartNotify.
        if found.uuid == 0x2902 { throw .notPermitted("Write not permitted") }
        return try write(
            call.arguments[0].bytes ?? [], to: found.id, at: options.offset, over: link, device, call)
    }
}

extension ValueObject {
    /// Reads the value of an attribute from the device.
    final func read(
        _ id: AttributeID, _ interface: Interface, over device: DeviceLink, _ call: BusCall
    ) throws(BusError) -> Interface.Reply {
        let link = try device.connected()
        let options = try ValueOptions(call.options(0), hasKind: false)
        try device.inTurn(call) { done in
            link.read(id, timeout: nil) { [weak self] result in
                done()
                switch result {
                case .success(let view):
                    let value = view.array
                    let answer = Result { () throws(BusError) in [BusValue.bytes(try options.part(of: value))] }
                    if case .success = answer { self?.received(value, interface) }
                    call.respond(answer)
                case .failure(let error): device.answer(call, .failure(error))
                }
            }
        }
        return .later
    }
}

extension ValueObject {
    /// The longest value of an attribute (Core 6.0, Vol 3, Part F, 3.2.9).
    private static let longestValue = 512

    /// Writes a value, or a part of it, with a response.
    final func write(
        _ value: [UInt8], to id: AttributeID, at offset: Int, over link: any PeripheralLink, _ device: DeviceLink,
        _ call: BusCall
    ) throws(BusError) -> Interface.Reply {
        if offset > 0 && value.isEmpty || offset + value.count > UInt16.max { throw .notSent }
        if value.count > Self.longestValue { throw .invalidArguments("Invalid Length") }
        try device.inTurn(call) { done in
            let completion: (Result<Void, RadioError>) -> Void = { result in
                done()
                device.answer(call, result.map { [] })
            }
            if offset == 0 {
                link.write(value, to: id, timeout: nil, completion: completion)
            } else {
                link.write(value, to: id, at: offset, timeout: nil, completion: completion)
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
