import ArgumentParser
import Harald

struct DemoCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Run a demonstration without hardware, in about ten seconds.",
        discussion: """
            Scans its own virtual air, connects to a heart rate strap, shows its services, reads, subscribes, writes \
            to a second device, loses the connection and reconnects. Everything happens inside the process. With \
            --adapter it runs on that adapter, with the devices in range: it needs a heart rate strap, and a device \
            with the service FFF0. 'harald simulate default --adapter URI' on another adapter provides both.

            EXAMPLES
              harald demo
              harald demo --for 60
              harald demo --capture demo.btsnoop
            """)

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("Approximate duration.", valueName: "seconds"))
    var length = 10.0

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(length > 0 && length <= 1e6) { throw ValidationError("--for must be a number of seconds above 0") }
    }

    func perform() async throws {
        let report = DemoReport(asJSON: shared.json)
        // Without --adapter always an air of its own, so that the output is the same on every machine.
        let choice = try shared.adapter.map { try AdapterChoice($0, environment: [:]) } ?? .scene("default")
        try await OpenedAdapter.run(shared, choice: choice) { adapter in
            try await Demo(adapter: adapter, options: shared, length: length, report: report).run()
        }
        report.farewell(Invocation(adapter: try shared.adapter ?? "virtual:"))
    }
}
