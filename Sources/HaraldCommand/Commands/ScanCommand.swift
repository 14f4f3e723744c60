#if Programs
import ArgumentParser
import Harald
import Synchronization

/// `harald scan`
struct ScanCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show the devices around.",
        discussion: """
            Scans for 5 seconds, or for --timeout seconds; --timeout 0 goes on until Ctrl-C. In a terminal the table \
            is live, the strongest first; in a pipe it is a line a device as it is found. With --json it is one object \
            a device as it is found: id, name, rssi, services, connectable, address, addressType, manufacturer, \
            serviceData, txPower, appearance.

            With --distance there is also an object distance: metres, from, to, exponent; signal strengths are \
            smoothed by a moving average over about 15 advertisements, so that everything is printed at the end, and what a \
            beacon was calibrated to counts, else the device's own TX power, or 0 dBm. With --advertisements it is a line, or \
            an object, for every advertisement as it comes.

            EXAMPLES
              harald scan
              harald scan --service 180D --timeout 10
              harald scan --min-rssi -70 --json | jq -r .name
              harald scan --adapter virtual:clinic
            """)

    @OptionGroup var shared: SharedOptions

    @Option(
        help: ArgumentHelp(
            "Only devices that advertise this service; may be given several times.", valueName: "service"))
    var service: [String] = []

    @Option(help: ArgumentHelp("Only devices whose name begins so.", valueName: "beginning"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only devices that are at least so strong, such as -70.", valueName: "dBm"))
    var minRssi: Int?

    @Option(
        help: ArgumentHelp(
            "Only devices with manufacturer data of this company, by number or name.", valueName: "company"))
    var manufacturer: String?

    @Flag(help: "Listen only: ask no device for its scan response.")
    var passive = false

    @Flag(
        help: "Estimate distances from the signal strengths, each with the range in which it lies two times of three.")
    var distance = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How fast signals fade with the distance: 2 in the open, 3 or more behind walls.", valueName: "exponent"))
    var pathLoss = 2.0

    @Flag(help: "Show every advertisement as it comes.")
    var advertisements = false

    func validate() throws {
        if let minRssi, !(-127...20).contains(minRssi) {
            throw ValidationError("--min-rssi is a number from -127 to 20 dBm")
        }
        if !(1...8).contains(pathLoss) { throw ValidationError("--path-loss is a number from 1 to 8") }
    }

    func perform() async throws {
        let filter = try filter()
        let duration = shared.timeout.map { $0 == 0 ? nil : Duration.seconds($0) } ?? .seconds(5)
        // It says how long to scan, and nothing else here waits.
        var shared = shared
        shared.timeout = nil
        try await OpenedAdapter.run(shared) { adapter in
            let scan = adapter.central.scan(filter: filter, duplicates: true, active: !passive, duration: duration)
            let count =
                if advertisements {
                    try await stream(scan)
                } else if Terminal.isLive, !self.shared.json {
                    try await showTable(scan)
                } else if distance {
                    try await showDistances(scan)
                } else {
                    try await showLines(scan)
                }
            try Task.checkCancellation()
            if count == 0 { sayEmpty(scan, duration) }
        }
    }

    // MARK: Ways to show it

    private func showTable(_ scan: Scan) async throws -> Int {
        var list = DeviceList()
        if distance { list.pathLossExponent = pathLoss }
        try await ScanTable.show(scan, in: &list)
        return list.count
    }

    /// At the end: what is smoothed needs time.
    private func showDistances(_ scan: Scan) async throws -> Int {
        var list = DeviceList()
        list.pathLossExponent = pathLoss
        for try await found in scan { list.note(DeviceRow(found)) }
        if shared.json {
            for row in list.sorted { Console.json(row.json) }
        } else if !list.isEmpty {
            for line in list.lines(width: nil) { Console.line(line) }
        }
        return list.count
    }

    private func showLines(_ scan: Scan) async throws -> Int {
        let json = shared.json
        let titled = Mutex(false)
        let lines = ScanLines(waits: !passive) { row in
            if json { return Console.json(row.json) }
            let isFirst = titled.withLock { titled in
                defer { titled = true }
                return !titled
            }
            if isFirst { Console.line(DeviceList.title) }
            Console.line(DeviceList.line(row))
        }
        try await lines.run(scan)
        return lines.count
    }

    private func filter() throws -> ScanFilter {
        var filter = ScanFilter(namePrefix: name, minimumRSSI: minRssi)
        filter.services = try service.map { try ServiceName.uuid($0) }
        if let manufacturer { filter.manufacturer = try Self.company(manufacturer) }
        return filter
    }

    private static func company(_ text: String) throws -> CompanyIdentifier {
        let digits = text.lowercased()
        if let number = digits.hasPrefix("0x") ? UInt16(digits.dropFirst(2), radix: 16) : UInt16(digits) {
            return CompanyIdentifier(rawValue: number)
        }
        let exact = AssignedNumbers.companies(named: text)
        let found = exact.isEmpty ? AssignedNumbers.companies(containing: text) : exact
        if found.count == 1 { return found[0] }
        let names = found.prefix(5).compactMap { company in company.name.map { "'\($0)'" } }
        throw ProgramError(
            .usage,
            found.isEmpty
                ? "no company is called '\(text)'"
                : "\(found.count) companies fit '\(text)': \(names.joined(separator: ", "))"
                    + (found.count > 5 ? ", ..." : "")
        )
    }

    private func stream(_ scan: Scan) async throws -> Int {
        var count = 0
        for try await found in scan {
            count += 1
            let row = DeviceRow(found)
            if shared.json {
                Console.json(row.json)
            } else {
                let parts = [
                    TerminalText.fit(row.rssi.map(String.init) ?? "?", to: 4, atEnd: true),
                    row.address?.text ?? row.id.description, TerminalText.safe(row.name ?? "-"),
                    row.advertisement.encoded.hexText(separator: " "),
                ]
                Console.line(parts.joined(separator: "  "))
            }
        }
        return count
    }

    private func sayEmpty(_ scan: Scan, _ duration: Duration?) {
        let time = duration.map { " in \($0.secondsText)" } ?? ""
        switch scan.hiddenCount {
        case 0: Console.message("no device was heard\(time)")
        case 1: Console.message("no device fits\(time); the filter hid 1 device")
        case let count: Console.message("no device fits\(time); the filter hid \(count) devices")
        }
    }
}
#endif
