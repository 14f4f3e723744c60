#if Programs
import ArgumentParser
import Harald

/// `harald info`
struct InfoCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show what a device advertises, field by field.",
        discussion: """
            Listens only; it does not connect. With --json it is one object: what 'harald scan --json' prints, with \
            fields (type, name, value, hex) and the object distance (metres, from, to, exponent), an estimate from the \
            signal strength and from what a beacon was calibrated to, or the TX power.

            EXAMPLES
              harald info polar
              harald info --pick strongest --json
            """)

    @Argument(help: ArgumentHelp("The device; see 'harald --help'.", valueName: "DEVICE"))
    var words: [String] = []

    @OptionGroup var device: DeviceOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        let rest = try device.split(words, needing: []).rest
        if !rest.isEmpty { throw ValidationError("unexpected: \(rest.joined(separator: " "))") }
    }

    func perform() async throws {
        let selector = try device.split(words, needing: []).selector
        let services = try device.services()
        try await OpenedAdapter.run(shared) { adapter in
            let found = try await DeviceFinder(
                central: adapter.central, selector: selector, pick: device.pick, services: services,
                includesBeacons: true, timeout: shared.patience
            ).find()
            let text = AdvertisementText(DeviceRow(found), distance: found.distance())
            if shared.json {
                Console.json(text.json)
            } else {
                for line in text.lines(width: Terminal.isLive ? Terminal.size.columns : nil) { Console.line(line) }
            }
        }
    }
}
#endif
