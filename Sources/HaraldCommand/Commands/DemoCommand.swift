#if Programs
import ArgumentParser
import Harald

/// `harald demo`
struct DemoCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Show everything once, with no hardware, in about ten seconds.",
        discussion: """
            Scans a virtual air of its own, connects to a heart rate strap, shows its services, reads, listens, writes \
            to a second device, loses the connection and gets it back. Nothing leaves the process. With --adapter it \
            runs on that adapter instead, with the devices that are there: a heart rate strap, and a device with the \
            service FFF0; 'harald simulate default --adapter URI' on another adapter provides them.

            EXAMPLES
              harald demo
              harald demo --for 60
              harald demo --capture demo.btsnoop
            """)

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("How long it takes, about.", valueName: "seconds"))
    var length = 10.0

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(length > 0 && length <= 1e6) { throw ValidationError("--for is a number of seconds above 0") }
    }

    func perform() async throws {
        let report = DemoReport(asJSON: shared.json)
        // Without --adapter always an air of its own, so that the output is the same on every machine.
        let choice = try shared.adapter.map { try AdapterChoice($0, environment: [:]) } ?? .scene("default")
        try await OpenedAdapter.run(shared, choice: choice) { adapter in
            try await Demo(adapter: adapter, options: shared, length: length, report: report).run()
        }
        report.farewell(Invocation(adapter: shared.adapter ?? "virtual:"))
    }
}
#endif
