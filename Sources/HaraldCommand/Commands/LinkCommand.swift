import ArgumentParser
import Explorer
import Harald
import Workbench

struct LinkCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Show, change and watch the parameters of the link to a device.",
        discussion: """
            Connects and shows MTU, PHYs, connection parameters, data length, signal strength and security. --phy, \
            --interval, --latency, --supervision-timeout and --data-length request other parameters first. A refused \
            request ends with status 1; a result that differs from the request is reported. --watch prints a line \
            every second, or every --every seconds, until Ctrl-C or for --for seconds.

            The interval is a number or a range in milliseconds, 7.5 to 4000. With --json, one object per report: id, \
            name, mtu, phy, interval, latency, supervisionTimeout (milliseconds), dataLength, rssi, security; values \
            that the adapter does not report are null. With --watch, also time, in seconds.

            EXAMPLES
              harald link polar
              harald link polar --phy 2M --interval 15-30
              harald link polar --watch --every 0.5 --json
            """)

    @OptionGroup var device: OneDevice

    @Option(
        help: ArgumentHelp("Request a PHY: 1M, 2M or coded.", valueName: "phy"),
        completion: .list(["1M", "2M", "coded"]))
    var phy: String?

    @Option(help: ArgumentHelp("Request a connection interval, such as 30 or 15-30.", valueName: "milliseconds"))
    var interval: String?

    @Option(help: ArgumentHelp("Request a peripheral latency, 0 to 499 connection events.", valueName: "events"))
    var latency: UInt16?

    @Option(help: ArgumentHelp("Request a supervision timeout, 100 to 32000.", valueName: "milliseconds"))
    var supervisionTimeout: Double?

    @Option(help: ArgumentHelp("Request a maximum data length, 27 to 251.", valueName: "octets"))
    var dataLength: UInt16?

    @Flag(help: "Print the parameters repeatedly.")
    var watch = false

    @Option(parsing: .unconditional, help: ArgumentHelp("The interval between lines of --watch.", valueName: "seconds"))
    var every = 1.0

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("Stop --watch after this time.", valueName: "seconds"))
    var length: Double?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        _ = try phyWish()
        _ = try range()
        if let latency, latency > 499 { throw ValidationError("--latency must be from 0 to 499") }
        if let supervisionTimeout, !(100...32_000).contains(supervisionTimeout) {
            throw ValidationError("--supervision-timeout must be from 100 to 32000 milliseconds")
        }
        if let dataLength, !(27...251).contains(dataLength) {
            throw ValidationError("--data-length must be from 27 to 251 octets")
        }
        if !(every >= 0.1 && every <= 1e6) {
            throw ValidationError("--every must be a number of seconds from 0.1 to 1000000")
        }
        if let length, !(length > 0 && length <= 1e9) {
            throw ValidationError("--for must be a number of seconds above 0")
        }
        if length != nil, !watch { throw ValidationError("--for requires --watch") }
    }

    private func phyWish() throws -> PHY? {
        guard let phy else { return nil }
        guard let wish = LinkReport.phy(phy) else {
            throw ValidationError("--phy must be 1M, 2M or coded, not '\(phy)'")
        }
        return wish
    }

    /// The requested range of intervals.
    private func range() throws -> ClosedRange<Duration>? {
        guard let interval else { return nil }
        let ends = interval.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first >= 7.5,
            first <= last, last <= 4000
        else {
            throw ValidationError(
                "--interval must be a number of milliseconds or a range, 7.5 to 4000, not '\(interval)'")
        }
        return .milliseconds(first) ... .milliseconds(last)
    }

    /// Returns the requested changes. Connection parameters that the command line does not set keep their current
    /// values.
    private func wish(_ now: ConnectionParameters?) throws -> LinkWish {
        var wish = LinkWish()
        wish.phy = try phyWish()
        wish.dataLength = dataLength
        let range = try range()
        guard range != nil || latency != nil || supervisionTimeout != nil else { return wish }
        let standard = ConnectionParametersRequest.standard
        let request = ConnectionParametersRequest(
            interval: range ?? now.map { $0.interval...$0.interval } ?? standard.interval,
            latency: latency ?? now?.latency ?? 0,
            supervisionTimeout: supervisionTimeout.map { .milliseconds($0) } ?? now?.supervisionTimeout
                ?? standard.supervisionTimeout)
        guard request.isValid else {
            throw ProgramError(
                .usage, "--supervision-timeout must be longer than 2 × interval × (latency + 1)")
        }
        wish.parameters = request
        return wish
    }

    func perform() async throws {
        try await OpenedAdapter.run(shared) { adapter in
            let peripheral = try await device.peripheral(on: adapter.central, within: shared.patience)
            try await peripheral.whileConnected(shared) {
                let wish = try wish(peripheral.connectionParameters)
                try await wish.ask(peripheral, timeout: shared.patience)
                let report = try await LinkReport.read(peripheral, timeout: shared.patience)
                for text in wish.unmet(in: report) { Console.message(text) }
                if watch { return try await watch(peripheral, report) }
                if shared.json {
                    Console.json(object(of: report, peripheral))
                } else {
                    let width = report.rows.map(\.name.count).max() ?? 0
                    for row in report.rows { Console.line("\(TerminalText.fit(row.name, to: width))  \(row.value)") }
                }
            }
        }
    }

    private func watch(_ peripheral: Peripheral, _ first: LinkReport) async throws {
        if length == nil { Console.message("watching without limit; Ctrl-C stops") }
        let start = ContinuousClock.now
        var report = first
        while true {
            let time = ((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000
            if shared.json {
                Console.json(object(of: report, peripheral, ["time": .number(time)]))
            } else {
                Console.line("\(TerminalText.fit("\(time)", to: 8, atEnd: true))  \(report.line)", indent: 10)
            }
            if let length, time + every > length { return }
            try await CommandDeadline.shared.whilePaused { try await Task.sleep(for: .seconds(every)) }
            report = try await LinkReport.read(peripheral, timeout: shared.patience)
            CommandDeadline.shared.progress()
        }
    }

    private func object(
        of report: LinkReport, _ peripheral: Peripheral, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let who: [String: JSONValue] = [
            "id": .string(peripheral.id.description), "name": .optional(peripheral.name),
        ]
        return .object(report.json.merging(who) { $1 }.merging(more) { $1 })
    }
}
