import ArgumentParser
import Explorer
import Harald

struct WriteCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a characteristic or a descriptor of a device.",
        discussion: """
            Connects, writes and disconnects. A value is \(ValueInput.forms); several are joined to one value. Without \
            --without-response the write is acknowledged if the characteristic supports it.

            EXAMPLES
              harald write gadget FFF0/FFF1 AA BB
              harald write gadget FFF0/FFF1 text:hello --without-response
              harald write gadget FFF0/FFF1/2901 text:Command
              harald write gadget '#0x0014' u8:1 u16:500 f32:1.5
            """)

    @Argument(
        help: ArgumentHelp("The device, the characteristic and the value.", valueName: "DEVICE PATH VALUE"),
        completion: Completions.deviceAndPaths)
    var words: [String] = []

    @Flag(name: .customLong("without-response"), help: "Write without response, not acknowledged by the device.")
    var withoutResponse = false

    @Flag(name: .customLong("with-response"), help: "Write with response, acknowledged by the device.")
    var withResponse = false

    @OptionGroup var device: DeviceOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        _ = try device.split(words, needing: ["PATH", "VALUE"])
        if withResponse, withoutResponse {
            throw ValidationError("--with-response and --without-response cannot be combined")
        }
    }

    func perform() async throws {
        let (selector, rest) = try device.split(words, needing: ["PATH", "VALUE"])
        let path = try AttributePath(rest[0])
        let bytes = try ValueInput.bytes(Array(rest.dropFirst()))
        let type: WriteType? = withoutResponse ? .withoutResponse : withResponse ? .withResponse : nil
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(selector, on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let finder = AttributeFinder(peripheral: peripheral, timeout: shared.patience)
                let attribute = try await finder.find(path)
                let isAcknowledged: Bool
                let name: String
                switch attribute {
                case .characteristic(let characteristic):
                    try await characteristic.write(bytes, type: type, timeout: shared.pairingPatience)
                    isAcknowledged = type.map { $0 == .withResponse } ?? characteristic.properties.contains(.write)
                    name = "\(characteristic)"
                case .descriptor(let descriptor):
                    try await write(bytes, to: descriptor)
                    (isAcknowledged, name) = (true, "\(descriptor) of \(descriptor.characteristic)")
                }
                let value = attribute.value(bytes)
                if shared.json {
                    Console.json(value.json(["acknowledged": .bool(isAcknowledged)]))
                } else {
                    let how = isAcknowledged ? "acknowledged" : "without response"
                    Console.line("wrote \(value.value.hex) to \(TerminalText.safe(name)) (\(how))")
                }
            }
        }
    }

    /// Writes a descriptor, always with response. The Client Characteristic Configuration is left to `harald notify`.
    private func write(_ bytes: [UInt8], to descriptor: Descriptor) async throws {
        if withoutResponse {
            throw ProgramError(.usage, "a descriptor cannot be written without response")
        }
        if descriptor.uuid == 0x2902 {
            let characteristic = descriptor.characteristic
            throw ProgramError(
                .failed,
                "\(descriptor) cannot be written directly: 'harald notify DEVICE "
                    + "\(characteristic.service.uuid)/\(characteristic.uuid)' subscribes and unsubscribes")
        }
        try await descriptor.write(bytes, timeout: shared.pairingPatience)
    }
}
