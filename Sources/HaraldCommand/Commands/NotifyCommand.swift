import ArgumentParser
import Explorer
import Harald
import Workbench

struct NotifyCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Subscribe to characteristics, and print their values.",
        discussion: """
            Subscribes and prints values until Ctrl-C, --count values or --for seconds; then it unsubscribes and \
            disconnects. A path can be a service with a slash at the end ('180D/'), for all its characteristics that \
            notify or indicate. With --json, one object per value, as in 'harald read', with the time in seconds since \
            the subscription.

            --as shows numbers instead of the decoded value, --base64 shows Base64; --raw writes only the bytes of the \
            values.

            It waits for values without limit, until Ctrl-C, unless --for sets a duration. --timeout ends it if no \
            value arrives for that time; the time also counts from the start. With --reconnect it continues after a \
            lost link.

            Values that arrive faster than they can be printed are buffered, up to 65,536 per characteristic; further \
            values replace the oldest. The number of dropped values is reported at the end, on standard error, or as \
            {"dropped":n} with --json.

            EXAMPLES
              harald notify polar 180D/2A37
              harald notify polar 180D/2A37 --count 3 --json
              harald notify ear health-thermometer/ --for 60
            """)

    @Argument(
        help: ArgumentHelp("The device, and the characteristics to subscribe to.", valueName: "DEVICE PATH"),
        completion: Completions.deviceAndPaths)
    var words: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Stop after this number of values.", valueName: "values"))
    var count: Int?

    @OptionGroup var length: TimeOption

    @Flag(help: "Prefer indications if the characteristic supports both.")
    var indications = false

    @Flag(help: "Reconnect and continue when the link is lost.")
    var reconnect = false

    @OptionGroup var shape: ValueFormOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        _ = try device.split(words, needing: ["PATH"])
        if shape.raw, shared.json { throw ValidationError("--raw and --json cannot be combined") }
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    func perform() async throws {
        let (selector, rest) = try device.split(words, needing: ["PATH"])
        let targets = try rest.map { try Target($0) }
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(selector, on: adapter.central, within: shared.patience)
            // A command that keeps reconnecting has to end when the adapter itself is lost.
            try await withThrowingTaskGroup(of: Void.self) { group in
                if reconnect { group.addTask { try await adapter.untilGone() } }
                group.addTask {
                    let telling = Task { if reconnect { await tellLosses(of: peripheral) } }
                    defer { telling.cancel() }
                    try await peripheral.whileConnected(shared, reconnect: reconnect ? .always : .never) {
                        let characteristics = try await self.characteristics(targets, of: peripheral)
                        try await print(characteristics)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func tellLosses(of peripheral: Peripheral) async {
        var isLost = false
        do throws(BluetoothError) {
            for try await state in peripheral.states {
                switch state {
                case .reconnecting(1, let error) where !isLost:
                    isLost = true
                    Console.message("\(error.reason); reconnecting")
                case .connected where isLost:
                    isLost = false
                    Console.message("reconnected")
                default: break
                }
            }
        } catch {
            // The stream fails when the adapter is lost, which is reported elsewhere.
        }
    }

    /// A characteristic, or all characteristics of a service.
    private enum Target: Sendable {
        case characteristic(AttributePath)
        case service([BluetoothUUID], text: String)

        init(_ text: String) throws {
            guard text.hasSuffix("/") else {
                self = .characteristic(try AttributePath(text))
                return
            }
            let uuids = ServiceName.uuids(String(text.dropLast()), .service)
            guard !uuids.isEmpty else { throw ServiceName.unknown(String(text.dropLast()), .service) }
            self = .service(uuids, text: String(text.dropLast()))
        }
    }

    private func characteristics(_ targets: [Target], of peripheral: Peripheral) async throws -> [Characteristic] {
        let finder = AttributeFinder(peripheral: peripheral, timeout: shared.patience)
        var all: [Characteristic] = []
        for target in targets {
            switch target {
            case .characteristic(let path): all.append(try await finder.findCharacteristic(path))
            case .service(let uuids, let text):
                let found = try await finder.subscribable(in: uuids)
                guard !found.isEmpty else {
                    throw ProgramError(
                        .notFound, "service \(text) of \(peripheral) has no characteristic that notifies or indicates")
                }
                all += found
            }
        }
        return all
    }

    private func print(_ characteristics: [Characteristic]) async throws {
        let values = MergedValues(
            characteristics, kind: indications ? .indications : .any, limit: length.limit,
            silence: shared.timeout.map { .seconds($0) })
        defer { DropCount.printReport(values.dropped, "value", json: shared.json) }
        if length.limit == nil, shared.timeout == nil {
            Console.message("waiting for values without limit; Ctrl-C stops")
        }
        let (start, form) = (ContinuousClock.now, try shape.form())
        var left = count ?? .max
        var forms: [AttributeID: ValueText.Form] = [:]
        for try await value in values.stream {
            CommandDeadline.shared.progress()
            let time = (ContinuousClock.now - start) / .seconds(1)
            if shared.json {
                let keys = form.json(value.value.bytes)
                Console.json(value.json(keys.merging(["time": .number((time * 1000).rounded() / 1000)]) { $1 }))
            } else if form == .raw {
                Console.write(value.value.bytes)
            } else if let text = form.text(value.value.bytes) {
                Console.line("\(Self.text(time))  \(value.title): \(text)", indent: 10)
            } else {
                // The first value of a characteristic determines the form of all its values.
                let textForm = forms[value.characteristic.valueHandle] ?? value.value.form
                forms[value.characteristic.valueHandle] = textForm
                Console.line("\(Self.text(time))  \(value.title): \(value.value.line(textForm))", indent: 10)
            }
            left -= 1
            if left == 0 { return }
        }
        try Task.checkCancellation()
        guard length.limit == nil else { return }
        throw ProgramError(.failed, "the device ended the connection")
    }

    /// Formats seconds with three decimals in eight columns.
    private static func text(_ time: Double) -> String {
        let milliseconds = Int((time * 1000).rounded())
        let decimals = String(milliseconds % 1000 + 1000).dropFirst()
        return TerminalText.fit("\(milliseconds / 1000).\(decimals)", to: 8, atEnd: true)
    }
}
