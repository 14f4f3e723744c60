#if Programs
import ArgumentParser
import Explorer
import Harald

/// `harald read`
struct ReadCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read characteristics and descriptors of a device.",
        discussion: """
            Connects, reads one value after the other and disconnects. A value is shown decoded where its type is \
            known, in hexadecimal, and as text where it is text. With --json it is one object a value: hex, and where \
            known text and value; device, service, characteristic, name, handle, and descriptor for a value of one. A \
            descriptor is a third part of its path, or the second where no service is meant.

            EXAMPLES
              harald read polar 180F/2A19
              harald read polar battery/battery-level 180A/2A29
              harald read polar 180F/2A19/2902
              harald read --pick only --service FFF0 FFF0/FFF1 --json
            """)

    @Argument(
        help: ArgumentHelp("The device, and the characteristics or descriptors to read.", valueName: "DEVICE PATH"),
        completion: Completions.deviceAndPaths)
    var words: [String] = []

    @OptionGroup var device: DeviceOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        _ = try device.split(words, needing: ["PATH"])
    }

    func perform() async throws {
        let (selector, rest) = try device.split(words, needing: ["PATH"])
        let paths = try rest.map { try AttributePath($0) }
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(selector, on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let finder = AttributeFinder(peripheral: peripheral, timeout: shared.patience)
                for path in paths {
                    let attribute = try await finder.find(path)
                    let value = attribute.value(try await read(attribute))
                    if shared.json { Console.json(value.json()) } else { Console.line(value.line, indent: 4) }
                    CommandDeadline.shared.progress()
                }
            }
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
                "\(characteristic) of \(characteristic.peripheral) cannot be read; it offers "
                    + (offered.isEmpty ? "nothing" : offered.joined(separator: ", "))
                    + (isSent ? ": 'harald notify \(device) \(path)' prints what it sends" : ""))
        }
    }
}
#endif
