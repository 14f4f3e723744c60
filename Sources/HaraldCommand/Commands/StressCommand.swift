import ArgumentParser
import Explorer
import Harald
import Workbench

struct StressCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "stress", abstract: "Put a device under load, and measure its behaviour.",
        discussion: """
            For --for seconds it repeatedly connects and disconnects. On every fifth link it discovers all attributes, \
            then reads, subscribes and unsubscribes, and changes connection parameters, PHY and data length, all \
            concurrently. It writes only subscriptions, unless --write names a characteristic, to which it writes as \
            fast as possible, without response if the characteristic supports it.

            Operations that the device refuses on the first link, such as reads of protected values, are omitted and \
            reported. The test ends early if three consecutive connects fail, if the adapter is lost, and with Ctrl-C; \
            then the measurements so far are shown. The status is 1 if there are failures.

            For each operation it shows the counts of executions and failures, the median, the 95th percentile and the \
            maximum of the duration, and the drift: the change of the median from the first quarter to the last. With \
            --json, one object: id, name, seconds, links, losses, away, operations (count, failures, median, p95, max \
            in milliseconds, drift in percent), throughput (octets per second: read, notified, written), values, \
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
            "The value to write, as in 'harald write' (default: one packet of zeros).", valueName: "value"))
    var value: String?

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if !(length > 0 && length <= 1e6) {
            throw ValidationError("--for must be a number of seconds above 0, up to 1000000")
        }
        if value != nil, write == nil { throw ValidationError("--value requires --write") }
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
        let (summary, loss) = try await OpenedAdapter.run(shared, pairing: pairing.delegate, limit: .opening) {
            adapter in
            let peripheral = try await device.peripheral(on: adapter.central, within: shared.patience)
            if !shared.json { Console.message("\(peripheral): \(Duration.seconds(length).secondsText); Ctrl-C stops") }
            let summary = try await plan.run(peripheral)
            return (summary, await adapter.loss)
        }
        if shared.json {
            Console.json(summary.json)
        } else {
            for line in summary.lines { Console.line(TerminalText.safe(line), indent: 4) }
        }
        try Task.checkCancellation()
        if let problem: any Error = loss ?? summary.adapterProblem { throw problem }
        if summary.isAway { throw ProgramError(.failed, "the device can no longer be connected") }
        guard summary.failureCount == 0 else {
            throw ProgramError(.failed, summary.failureCount.counted("failure"))
        }
    }
}
