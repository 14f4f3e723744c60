#if Programs
import ArgumentParser
import Harald

/// `harald read`
struct ReadCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read characteristics of a device.",
        discussion: """
            Connects, reads one value after the other and disconnects. A value is shown decoded where its type is \
            known, in hexadecimal, and as text where it is text. With --json it is one object a value: hex, and where \
            known text and value; device, service, characteristic, name, handle.

            EXAMPLES
              harald read polar 180F/2A19
              harald read polar battery/battery-level 180A/2A29
              harald read --pick only --service FFF0 FFF0/FFF1 --json
            """)

    @Argument(help: ArgumentHelp("The device, and the characteristics to read.", valueName: "DEVICE PATH"))
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
                let finder = CharacteristicFinder(peripheral: peripheral, timeout: shared.patience)
                for path in paths {
                    let characteristic = try await finder.find(path)
                    let bytes = try await read(characteristic)
                    let value = CharacteristicValue(bytes, of: characteristic)
                    if shared.json { Console.json(value.json()) } else { Console.line(value.line, indent: 4) }
                }
            }
        }
    }

    /// Reads, whatever the characteristic says about itself: some have more than they offer.
    private func read(_ characteristic: Characteristic) async throws -> [UInt8] {
        do throws(BluetoothError) {
            return try await characteristic.read(timeout: shared.patience)
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
