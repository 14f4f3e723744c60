import ArgumentParser
import Explorer
import Harald

struct InfoCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show the advertisement of a device, field by field.",
        discussion: """
            Does not connect. With --json, one object: that of 'harald scan --json', with fields (type, name, value, \
            hex) and the object distance (metres, from, to, exponent), an estimate from the signal strength and the \
            calibrated power of a beacon, or the TX power.

            EXAMPLES
              harald info polar
              harald info --pick strongest --json
            """)

    @OptionGroup var device: OneDevice
    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        try await OpenedAdapter.run(shared) { adapter in
            let found = try await device.find(
                on: adapter.central, within: shared.patience, includesBeacons: true)
            let text = AdvertisementText(DeviceRow(found), distance: found.distance())
            if shared.json {
                Console.json(text.json)
            } else {
                for line in text.lines(width: Terminal.width) { Console.line(line) }
            }
        }
    }
}
