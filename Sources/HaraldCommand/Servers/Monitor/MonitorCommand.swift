import ArgumentParser
import Foundation
import Harald

struct MonitorCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Collect measurements from health devices as they appear.",
        discussion: """
            Waits for heart rate sensors, thermometers, blood pressure monitors, glucose meters, continuous glucose \
            monitors, scales, pulse oximeters, cycling and running sensors, and a vendor's scale and blood pressure \
            monitor. Each device is connected when it appears. It is paired if it requires that, or with --pair before \
            anything else; its clock is set; stored readings are fetched once; new readings are printed and \
            acknowledged. When the device disappears, the monitor continues to wait, without limit: Ctrl-C, --count \
            readings or --for seconds end it. --timeout limits connecting and each operation.

            With --send each reading is stored in a queue on disk before it is acknowledged to the device, and sent to \
            a hub ('harald hub'); the hub's assessment is printed. Readings that the hub has not acknowledged stay in \
            the queue and are sent again, also by the next run. Readings that it refuses are moved to refused.jsonl in \
            the same directory.

            A weight that a scale advertises (Xiaomi) is a reading too, without a connection: once it is stable.

            NAMES are prefixes; only devices with a matching name are used. With --json, one object per reading, in \
            the form that a hub accepts: id, device, characteristic, hex, fields, deviceTime, clockOffset (the \
            device's clock minus the true time, in seconds), time, gateway, simulated, and measurement and stored; \
            with --send, also one per response, with the key answer. With --csv, one line per field, after a line with \
            the names of the columns unless the output is appended to a file: \(MonitorReading.csvHeader). The lines \
            of one reading have the same number in 'reading'; with --send, responses are on standard error. Numbers in \
            CSV and JSON have the units of the specification, such as kg/L of glucose; text output has mg/dL and mmol/L.

            EXAMPLES
              harald monitor
              harald monitor --adapter virtual:clinic --yes --for 20
              harald monitor 'bp monitor' --csv >> readings.csv
              harald monitor --send http://127.0.0.1:8093 --token-file token
            """)

    @Argument(
        help: ArgumentHelp("Prefixes of device names.", valueName: "NAMES"), completion: Completions.devices)
    var names: [String] = []

    @Flag(help: "Print comma-separated values.")
    var csv = false

    @Flag(help: "Pair with every device, even if it does not require pairing.")
    var pair = false

    @Flag(help: "Do not set the clocks of devices.")
    var noTime = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this number of readings.", valueName: "readings"))
    var count: Int?

    @OptionGroup var length: TimeOption

    @OptionGroup var sending: SendOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if csv, shared.json { throw ValidationError("--csv and --json cannot be combined") }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    func perform() async throws {
        let isVerbose = shared.verbose
        let (ends, end) = AsyncStream<Void>.makeStream()
        let form: MonitorForm = shared.json ? .json : csv ? .csv : .text
        if csv, !Console.isAppending { Console.line(MonitorReading.csvHeader) }
        let printed = PrintedReading()
        let output = ReadingOutput(limit: count) { reading, number in
            switch form {
            case .text: printed.print(reading: reading.id) { Console.line(reading.line, indent: 4) }
            case .json: Console.json(reading.json)
            case .csv: Console.write(reading.csv(number: number).map { $0 + "\n" }.joined())
            }
        } done: {
            end.yield()
        }
        let outbox = try sending.open(form: form, printed: printed)
        await outbox?.begin()
        try await closing {
            try await collect(output, outbox, ends, isVerbose: isVerbose)
        } with: {
            await outbox?.finish()
        }
    }

    private func collect(
        _ output: ReadingOutput, _ outbox: MonitorOutbox?, _ ends: AsyncStream<Void>, isVerbose: Bool
    ) async throws {
        try await OpenedAdapter.run(shared, pairing: pairing.delegate, limit: .opening) { adapter in
            let clocks = try ClockHistory(directory: outbox?.queue.directory)
            let monitor = HealthMonitor(
                names: names, pairsFirst: pair, setsClocks: !noTime, central: adapter.central,
                patience: shared.patience,
                note: { if isVerbose { Console.message($0) } }, report: { Console.message($0) },
                emit: { reading in
                    // Before the reading is queued: another one may arrive meanwhile.
                    guard output.reserve() else { throw CancellationError() }
                    do {
                        try await outbox?.keep(reading)
                    } catch {
                        output.cancelReservation()
                        throw error
                    }
                    output.emit(reading)
                }, gateway: ProcessInfo.processInfo.hostName, isSimulated: adapter.isSimulated,
                clocks: clocks)
            defer { monitor.dropped.printReport("value", json: shared.json) }
            if length.limit == nil { Console.message("waiting for health devices without limit; Ctrl-C stops") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await monitor.run() }
                if let outbox { group.addTask { await outbox.sender.run() } }
                group.addTask { for await _ in ends { break } }
                if let limit = length.limit { group.addTask { try await Task.sleep(for: limit) } }
                try await group.next()
                group.cancelAll()
                // Errors of tasks cancelled on purpose are ignored.
                while let result = await group.nextResult() { _ = result }
            }
            try Task.checkCancellation()
        }
    }
}
