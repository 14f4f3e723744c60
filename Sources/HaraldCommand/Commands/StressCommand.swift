#if Programs
import ArgumentParser
import Explorer
import Harald
import Workbench

/// `harald stress`
struct StressCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress", abstract: "Put a device under load, and measure how it bears it.",
        discussion: """
            For --for seconds it connects and disconnects again and again. On every fifth link it discovers all \
            attributes, and then reads, subscribes and unsubscribes, and changes connection parameters, PHY and data \
            length, all at once. It writes nothing but subscriptions, unless --write names a characteristic: to that it \
            writes without response as fast as the radio takes it, where the characteristic offers that.

            What the device refuses on the first link, such as values for paired devices, is left out, and told. It \
            ends early when the device cannot be connected to three times in a row, and with Ctrl-C; what was measured \
            by then is shown. The status is 1 when something failed.

            For each operation it shows how often it was done and failed, the median, the 95th percentile and the \
            maximum of its duration, and the drift: how much the median changed from the first quarter to the last. \
            With --json it is one object: id, name, seconds, links, losses, away, operations (count, failures, median, \
            p95, max in milliseconds, drift in percent), throughput (octets a second: read, notified, written), values, \
            dropped, failures (operation, kind, count, first, message), notRun.

            EXAMPLES
              harald stress polar --for 60
              harald stress gadget --for 600 --write FFF0/FFF1 --json
            """)

    @OptionGroup var device: OneDevice

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("The duration of the test.", valueName: "seconds"))
    var length = 60.0

    @Option(help: ArgumentHelp("Write to this characteristic.", valueName: "path"))
    var write: String?

    @Option(
        help: ArgumentHelp(
            "What to write, as for 'harald write' (default: zeros, as many as fit into a packet).", valueName: "value"))
    var value: String?

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(length > 0 && length <= 1e6) { throw ValidationError("--for is a number of seconds above 0, up to 1000000") }
        if value != nil, write == nil { throw ValidationError("--value is for --write") }
    }

    func perform() async throws {
        var test = StressTest()
        test.duration = .seconds(length)
        test.timeout = shared.patience
        if let write {
            let path = try AttributePath(write)
            let timeout = shared.patience
            test.writeTarget = { peripheral in
                try await AttributeFinder(peripheral: peripheral, timeout: timeout).findCharacteristic(path)
            }
        }
        if let value { test.value = try ValueInput.bytes([value]) }
        let plan = test
        let summary = try await OpenedAdapter.run(shared, pairing: pairing.delegate, limit: .opening) { adapter in
            let peripheral = try await device.peripheral(on: adapter.central, within: shared.patience)
            if !shared.json { Console.message("\(peripheral): \(Duration.seconds(length).secondsText); Ctrl-C ends") }
            return try await plan.run(peripheral)
        }
        if shared.json {
            Console.json(summary.json)
        } else {
            for line in summary.lines { Console.line(TerminalText.safe(line), indent: 4) }
        }
        try Task.checkCancellation()
        if summary.isAway { throw ProgramError(.failed, "the device stays away") }
        guard summary.failureCount == 0 else {
            throw ProgramError(.failed, "\(summary.failureCount) failure\(summary.failureCount == 1 ? "" : "s")")
        }
    }
}
#endif
