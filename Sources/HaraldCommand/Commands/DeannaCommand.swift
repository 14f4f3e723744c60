import ArgumentParser
import BluetoothProfiles
import Explorer
import Foundation
import Harald
import HaraldDevices
import Synchronization
import TerminalScreen

struct DeannaCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "deanna", abstract: "Show a dashboard of TI SensorTags, with live values of every sensor.",
        discussion: """
            Shows the SensorTags in range (CC2541 and CC2650). In a terminal it is a dashboard: up and down select a \
            tag, enter connects and disconnects it, 1 to 9 select a sensor, space switches it on and off, + and - \
            change its period, c sets the zero of gyroscope and magnetometer (or calibrates the barometer), q quits. \
            Tags named on the command line, or all tags with --connect, are connected at once. Below the sensors are \
            the device information and the other devices in range.

            The dashboard runs without limit, until q or Ctrl-C.

            In a pipe, or with --json, every tag is connected and each reading is one line. With --json each line is \
            an object: time, device, model, sensor, fields. The command stops if no reading arrives for --timeout \
            seconds (30): with status 66 if no tag matches, or no tag has the sensors, otherwise with 75.

            EXAMPLES
              harald deanna --adapter virtual:sensortags
              harald deanna --sensors temperature,humidity --period 0.5 --count 10
              harald deanna 'CC2650' --json | jq .fields
            """)

    @Argument(help: ArgumentHelp("Prefixes of the names of tags.", valueName: "NAMES"), completion: Completions.devices)
    var names: [String] = []

    @Option(
        help: ArgumentHelp(
            "The sensors to switch on, separated by commas (default: all): "
                + SensorTag.Sensor.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "sensors"))
    var sensors: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The measurement period of the sensors, 0.1 to 2.55.", valueName: "seconds"))
    var period: Double?

    @Flag(help: "Use the first reading of gyroscope and magnetometer as their zero.")
    var calibrate = false

    @Flag(help: "Connect every tag in range.")
    var connect = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this number of readings.", valueName: "readings"))
    var count: Int?

    @OptionGroup var length: TimeOption

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        _ = try wanted()
        if let period, !(0.1...2.55).contains(period) {
            throw ValidationError("--period must be from 0.1 to 2.55 seconds")
        }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    /// The sensors named by `--sensors`; nil for all.
    private func wanted() throws -> [SensorTag.Sensor]? {
        guard let sensors else { return nil }
        let all = SensorTag.Sensor.allCases.map(\.rawValue).joined(separator: ", ")
        let named = try sensors.split(separator: ",").map { name in
            guard let sensor = SensorTag.Sensor(rawValue: name.trimmingCharacters(in: .whitespaces).lowercased()) else {
                throw ValidationError("no sensor is named '\(name)'; the sensors are \(all)")
            }
            return sensor
        }
        if named.isEmpty { throw ValidationError("--sensors is empty; the sensors are \(all)") }
        return named.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    func perform() async throws {
        let isLive = Terminal.isInteractive && !shared.json
        let (isVerbose, json, wanted) = (shared.verbose, shared.json, try wanted())
        let left = Mutex(count ?? .max)
        let (ends, end) = AsyncStream<Void>.makeStream()
        let heard = LastReading()
        try await OpenedAdapter.run(shared, limit: .opening) { adapter in
            heard.note()
            let dashboard = Dashboard(
                central: adapter.central, patience: shared.patience, sensors: wanted,
                period: period.map { .seconds($0) }, calibrates: calibrate,
                note: { if isVerbose, !isLive { Console.message($0) } },
                warn: { if !isLive { Console.message($0) } },
                onReading: { tag, reading in
                    guard wanted?.contains(reading.sensor) ?? true else { return }
                    heard.note()
                    let now = left.withLock { left in
                        defer { left = max(0, left - 1) }
                        return left
                    }
                    guard now > 0 else { return }
                    if !isLive { Self.print(reading, of: tag, json: json) }
                    if now == 1 { end.yield() }
                })
            defer { dashboard.dropped.printReport("reading", json: json) }
            let connects = !isLive || connect || !names.isEmpty
            try await closing {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await dashboard.look(names: names, connects: connects, hearsOthers: isLive) }
                    group.addTask { for await _ in ends { break } }
                    if !isLive {
                        let silence = shared.timeout.map { Duration.seconds($0) } ?? Self.usualSilence
                        group.addTask {
                            try await expectReadings(dashboard, silence: silence, last: heard)
                        }
                    }
                    if let limit = length.limit { group.addTask { try await Task.sleep(for: limit) } }
                    if isLive { group.addTask { try await Self.show(dashboard) } }
                    try await group.next()
                    group.cancelAll()
                    while let result = await group.nextResult() { _ = result }
                }
            } with: {
                await dashboard.close()
            }
            try Task.checkCancellation()
        }
    }

    /// The time of the last reading; initially the time at which the command started to wait.
    private final class LastReading: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        var time: ContinuousClock.Instant { instant.withLock { $0 } }
        func note() { instant.withLock { $0 = .now } }
    }

    private static func print(_ reading: SensorTag.Reading, of tag: SensorTag, json: Bool) {
        if json {
            Console.json([
                "time": .string(Date.now.formatted(.iso8601)), "sensor": .string(reading.sensor.rawValue),
                "device": ["id": .string(tag.peripheral.id.description), "name": .optional(tag.peripheral.name)],
                "model": .string(tag.model.rawValue), "fields": JSONValue(reading.fields),
            ])
        } else {
            let name = TerminalText.fit(TerminalText.safe(tag.peripheral.name ?? "SensorTag"), to: 16)
            Console.line("\(name)  \(TerminalText.fit(reading.sensor.rawValue, to: 13))  \(reading)")
        }
    }

    /// The longest time without a reading if `--timeout` is not given. A person has to press a tag's key before it
    /// advertises.
    private static let usualSilence = Duration.seconds(30)

    /// Throws a ``ProgramError`` if no reading arrives for `silence`.
    private func expectReadings(
        _ dashboard: Dashboard, silence: Duration, last: LastReading
    ) async throws {
        while true {
            let end = last.time + silence
            guard end > .now else { break }
            try await Task.sleep(until: end, clock: .continuous)
        }
        if await dashboard.hasFitting {
            throw ProgramError(.timeout, "no reading arrived in \(silence.secondsText)")
        }
        if await !dashboard.unfit.isEmpty {
            throw ProgramError(.notFound, "no SensorTag in range has any of the sensors of --sensors")
        }
        let named = names.isEmpty ? "" : " named \(names.map { "'\($0)'" }.joined(separator: " or "))"
        throw ProgramError(
            .notFound, "no SensorTag\(named) in \(silence.secondsText); press the key on its side to make it advertise")
    }

    /// Shows the dashboard and handles keys until the user quits.
    private static func show(_ dashboard: Dashboard) async throws {
        try await FullScreen.run { screen in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    // Readings arrive a few times a second; an unchanged screen produces no output.
                    while true {
                        await draw(dashboard, on: screen)
                        try await Task.sleep(for: .milliseconds(250))
                    }
                }
                group.addTask { await obey(dashboard, on: screen) }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private static func draw(_ dashboard: Dashboard, on screen: TerminalSession) async {
        let (columns, rows) = Terminal.size
        let picture = DashboardScreen(await dashboard.state, columns: columns, glyphs: Terminal.glyphs)
        screen.show(picture.picture(rows: rows))
    }

    private static func obey(_ dashboard: Dashboard, on screen: TerminalSession) async {
        for await event in screen.events {
            guard case .key(let key) = event else {
                if event == .closed { return }
                await draw(dashboard, on: screen)
                continue
            }
            switch key {
            case .up: await dashboard.select(tag: -1)
            case .down: await dashboard.select(tag: 1)
            case .enter: await dashboard.toggleConnection()
            case .character("q"): return
            case .character(" "): await dashboard.toggleSensor()
            case .character("+"): await dashboard.changePeriod(by: .milliseconds(100))
            case .character("-"): await dashboard.changePeriod(by: .milliseconds(-100))
            case .character("c"): await dashboard.calibrate()
            case .character(let character):
                if let number = character.wholeNumberValue, number > 0 { await dashboard.select(sensor: number - 1) }
            default: break
            }
            await draw(dashboard, on: screen)
        }
    }
}
