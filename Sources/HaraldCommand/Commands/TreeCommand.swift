#if Programs
import ArgumentParser
import Harald

/// `harald tree`
struct TreeCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Show the services, characteristics and descriptors of a device.",
        discussion: """
            With --values it also reads what can be read. With --json it is one object: id, name, address, mtu, and \
            services with their characteristics and descriptors.

            EXAMPLES
              harald tree polar
              harald tree --pick strongest --values
              harald tree C0:12:34:56:78:9A --json
            """)

    @Argument(help: ArgumentHelp("The device; see 'harald --help'.", valueName: "DEVICE"))
    var words: [String] = []

    @OptionGroup var device: DeviceOptions

    @Flag(help: "Read the values that can be read.")
    var values = false

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        let rest = try device.split(words, needing: []).rest
        if !rest.isEmpty { throw ValidationError("unexpected: \(rest.joined(separator: " "))") }
    }

    func perform() async throws {
        let selector = try device.split(words, needing: []).selector
        let services = try device.services()
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let found = try await DeviceFinder(
                central: adapter.central, selector: selector, pick: device.pick, services: services,
                timeout: shared.patience
            ).find()
            try await found.peripheral.whileConnected(shared) {
                let tree = try await DeviceTree.read(found.peripheral, values: values, timeout: shared.patience)
                if shared.json {
                    Console.json(tree.json)
                } else {
                    let width = Terminal.isLive ? Terminal.size.columns : nil
                    for line in tree.lines(width: width) { Console.line(line) }
                }
            }
        }
    }
}
#endif
