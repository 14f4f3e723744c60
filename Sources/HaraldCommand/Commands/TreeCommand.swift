import ArgumentParser
import Explorer
import Harald
import Workbench

struct TreeCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Show the services, characteristics and descriptors of a device.",
        discussion: """
            With --values it also reads all readable values; --as, --raw and --base64 imply this, and set the form of \
            values. The first line has the advertised name, and the Device Name of the GAP service if it differs. \
            With --json, one object: id, name, advertisedName, deviceName, address, mtu, and services with their \
            includes, characteristics and descriptors. A value that cannot be read has a "problem", and the status is then 1. Attributes that \
            violate the specification, such as a characteristic outside its service, are skipped and reported on \
            standard error; with --json they are in 'skipped', and 'skippedCount' is their number.

            EXAMPLES
              harald tree polar
              harald tree --pick strongest --values
              harald tree C0:12:34:56:78:9A --json
            """)

    @OptionGroup var device: OneDevice

    @Flag(help: "Read all readable values.")
    var values = false

    @OptionGroup var shape: ValueFormOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        let form = try shape.form()
        let values = values || form != .decoded
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let tree = try await DeviceTree.read(
                    peripheral, values: values, timeout: values ? shared.pairingPatience : shared.patience)
                if let skipped = tree.skippedText { Console.message(skipped) }
                if shared.json {
                    Console.json(tree.json(form.json))
                } else {
                    for line in tree.lines(width: Terminal.width, glyphs: Terminal.glyphs, value: form.text) {
                        Console.line(line)
                    }
                }
                let count = tree.problemCount
                if count > 0 {
                    throw ProgramError(.failed, "\(count.counted("value")) could not be read")
                }
            }
        }
    }
}
