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
        let (paths, services) = (try rest.map { try AttributePath($0) }, try device.services())
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let found = try await DeviceFinder(
                central: adapter.central, selector: selector, pick: device.pick, services: services,
                timeout: shared.patience
            ).find()
            try await found.peripheral.whileConnected(shared) {
                let finder = CharacteristicFinder(peripheral: found.peripheral, timeout: shared.patience)
                for path in paths {
                    let characteristic = try await finder.find(path)
                    let bytes = try await characteristic.read(timeout: shared.patience)
                    let value = CharacteristicValue(bytes, of: characteristic)
                    if shared.json { Console.json(value.json()) } else { Console.line(value.line) }
                }
            }
        }
    }
}
#endif
