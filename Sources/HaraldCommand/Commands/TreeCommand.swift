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

    @OptionGroup var device: OneDevice

    @Flag(help: "Read the values that can be read.")
    var values = false

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let tree = try await DeviceTree.read(peripheral, values: values, timeout: shared.patience)
                if shared.json {
                    Console.json(tree.json)
                } else {
                    for line in tree.lines(width: Terminal.width) { Console.line(line) }
                }
            }
        }
    }
}
#endif
