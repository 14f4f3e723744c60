import ArgumentParser
import Explorer
import Harald
import Workbench

struct ReadCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read characteristics and descriptors of a device.",
        discussion: """
            Connects, reads the values in order and disconnects. A value is shown decoded if its type is known, in \
            hexadecimal, and as text if it is text. With --json, one object per value: hex, and if known text and \
            value; device, service, characteristic, name, handle, and descriptor for the value of a descriptor. A \
            descriptor is the third part of a path, or the second if the path has no service.

            With --as, --base64 or --raw a value is shown only in that form: one line of numbers or of Base64 per \
            value, or the unchanged bytes without line ends.

            EXAMPLES
              harald read polar 180F/2A19
              harald read polar battery/battery-level 180A/2A29
              harald read polar 180F/2A19/2902
              harald read tag AA81 --as i16,i16,i16
              harald read gadget FFF0/FFF1 --raw > value.bin
              harald read --pick only --service FFF0 FFF0/FFF1 --json
            """)

    @Argument(
        help: ArgumentHelp("The device, and the characteristics or descriptors to read.", valueName: "DEVICE PATH"),
        completion: Completions.deviceAndPaths)
    var words: [String] = []

    @OptionGroup var shape: ValueFormOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        _ = try device.split(words, needing: ["PATH"])
        if shape.raw, shared.json { throw ValidationError("--raw and --json cannot be combined") }
    }

    func perform() async throws {
        let (selector, rest) = try device.split(words, needing: ["PATH"])
        let form = try shape.form()
        let paths = try rest.map { try AttributePath($0) }
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(selector, on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let finder = AttributeFinder(peripheral: peripheral, timeout: shared.patience)
                for path in paths {
                    let attribute = try await finder.find(path)
                    let bytes = try await read(attribute)
                    show(await attribute.value(read: bytes, timeout: shared.patience), form)
                    CommandDeadline.shared.progress()
                }
            }
        }
    }

    private func show(_ value: CharacteristicValue, _ form: ValueForm) {
        let bytes = value.value.bytes
        if shared.json {
            Console.json(value.json(form.json(bytes)))
        } else if form == .raw {
            Console.write(bytes)
        } else if let text = form.text(bytes) {
            Console.line(text)
        } else {
            Console.line(value.line, indent: 4)
        }
    }

    /// Reads regardless of the properties of the characteristic: some devices permit reads that they do not declare.
    private func read(_ attribute: FoundAttribute) async throws -> [UInt8] {
        guard case .characteristic(let characteristic) = attribute else {
            return try await attribute.read(timeout: shared.pairingPatience)
        }
        do throws(BluetoothError) {
            return try await characteristic.read(timeout: shared.pairingPatience)
        } catch {
            guard case .att(.readNotPermitted) = error.code, !characteristic.properties.contains(.read) else {
                throw error
            }
            let offered = characteristic.properties.names
            let device = device.pick.map { "--pick \($0.rawValue)" } ?? Invocation.quoted(words[0])
            let path = "\(characteristic.service.uuid)/\(characteristic.uuid)"
            let isSent = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
            throw ProgramError(
                .failed,
                "\(characteristic) of \(characteristic.peripheral) is not readable; its properties are "
                    + (offered.isEmpty ? "none" : offered.joined(separator: ", "))
                    + (isSent ? "; 'harald notify \(device) \(path)' prints its notifications" : ""))
        }
    }
}
