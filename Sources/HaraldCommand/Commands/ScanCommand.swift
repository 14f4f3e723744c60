import ArgumentParser
import BluetoothBackend
import BluetoothProfiles
import Explorer
import Foundation
import Harald
import Synchronization

struct ScanCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show the devices in range.",
        discussion: """
            Scans for 5 seconds, or for --timeout seconds; --timeout 0 scans without limit, until Ctrl-C. In a \
            terminal the table is live, sorted by signal strength; in a pipe, one line per device when it is found. \
            With --json, one object per device when it is found: id, name, rssi, services, connectable, address, \
            addressType, manufacturer, serviceData, txPower, appearance, values (the readings of sensors and \
            beacons: kind, title, fields, problem).

            --distance adds an object distance: metres, from, to, exponent. RSSI is smoothed by a moving average over \
            about 15 advertisements, so that everything is printed at the end. The reference is the calibrated power \
            of a beacon, otherwise the device's TX power, or 0 dBm. With --advertisements, one line or object per \
            advertisement, with its time, its bytes (hex) and whether it is a scan response (scanResponse).

            If no device is found, or none matches, the status is 66.

            EXAMPLES
              harald scan
              harald scan --service 180D --timeout 10
              harald scan --min-rssi -70 --json | jq -r .name
              harald scan --data '4C 00 02 15'
              harald scan --adapter virtual:clinic
            """)

    @OptionGroup var shared: SharedOptions

    @Option(
        help: ArgumentHelp(
            "Only devices that advertise this service; can be repeated.", valueName: "service"),
        completion: Completions.services)
    var service: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only devices that solicit this service, which they look for in a central; can be repeated.",
            valueName: "service"),
        completion: Completions.services)
    var solicited: [String] = []

    @Option(help: ArgumentHelp("Only devices whose name contains this text (case-insensitive).", valueName: "part"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Minimum RSSI, such as -70.", valueName: "dBm"))
    var minRssi: Int?

    @Option(
        name: [.customLong("company"), .customLong("manufacturer")],
        help: ArgumentHelp(
            "Only devices with manufacturer data of this company, by number or name.", valueName: "company"))
    var company: String?

    @Option(
        help: ArgumentHelp(
            "Prefix of the manufacturer data (with the bytes of the company, as '4C 00 02 15') or of the service data; "
                + "?? is any byte; with * in front, the bytes may be anywhere.", valueName: "bytes"))
    var data: String?

    @Flag(help: "Only connectable devices.")
    var connectable = false

    @Flag(help: "Only devices marked as favourites, such as in 'harald explore'.")
    var favourite = false

    @Flag(help: "Scan passively, without requesting scan responses; over BlueZ for flags and known formats only.")
    var passive = false

    @Flag(
        help:
            "Estimate distances from the signal strength, each with the range that contains it two times out of three.")
    var distance = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Path loss exponent: 2 in the open, 3 or more behind walls.", valueName: "exponent"))
    var pathLoss = 2.0

    @Flag(help: "Show every advertisement when it is received.")
    var advertisements = false

    func validate() throws {
        if let minRssi, !(-127...20).contains(minRssi) {
            throw ValidationError("--min-rssi must be a number from -127 to 20 dBm")
        }
        if let data {
            do { _ = try DataPattern(data) } catch { throw ValidationError(error.message) }
        }
        if !(1...8).contains(pathLoss) { throw ValidationError("--path-loss must be a number from 1 to 8") }
    }

    func perform() async throws {
        let filter = try filter()
        let duration = shared.timeout.map { $0 == 0 ? nil : Duration.seconds($0) } ?? .seconds(5)
        var shared = shared
        // For a scan, 0 means no limit.
        if shared.timeout == 0 { shared.timeout = nil }
        try await OpenedAdapter.run(shared, limit: .opening) { adapter in
            guard duration == nil else { return try await scan(adapter.central, filter, duration) }
            Console.message("scanning without limit; Ctrl-C stops")
            var recovery = Recovery { Console.message($0) }
            while true {
                do { return try await scan(adapter.central, filter, nil) } catch {
                    try await recovery.wait(after: error) { try await adapter.central.waitUntilPoweredOn() }
                }
            }
        }
    }

    private var request: ScanRequest {
        var request = ScanRequest(allowsDuplicates: true, isActive: !passive)
        guard passive else { return request }
        request.patterns = AdvertisedFormats.patterns(of: Set(AdvertisedFormats.kinds)).patterns
        request.patterns += AdvertisementPattern.devices
        request.modeChanged = { mode in
            switch mode {
            case .active(let reason): Console.message("the adapter scans actively" + (reason.map { "; \($0)" } ?? ""))
            case .passive: break
            case .patterns:
                Console.message("the adapter scans for flags and known formats; a device without them is not shown")
            }
        }
        return request
    }

    // MARK: Output

    private func scan(_ central: Central, _ filter: ScanFilter, _ duration: Duration?) async throws {
        let scan = central.scan(filter: filter, request, duration: duration)
        defer { DropCount.printReport(scan.droppedCount, "advertisement", json: shared.json) }
        let count =
            if advertisements {
                try await stream(scan)
            } else if Terminal.isLive, !shared.json {
                try await showTable(scan)
            } else if distance {
                try await showDistances(scan)
            } else {
                try await showLines(scan)
            }
        try Task.checkCancellation()
        if count == 0 { throw nothing(scan, duration) }
    }

    private func showTable(_ scan: Scan) async throws -> Int {
        var list = DeviceList()
        if distance { list.pathLossExponent = pathLoss }
        try await ScanTable.show(scan, in: &list)
        return list.count
    }

    /// Prints the devices at the end of the scan, because smoothing takes time.
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
        var filter = DeviceFilter(name: name, minimumRSSI: minRssi, isConnectable: connectable ? true : nil)
        filter.services = try Set(service.map { try ServiceName.uuid($0) })
        filter.solicitedServices = try Set(solicited.map { try ServiceName.uuid($0) })
        if let company { filter.companies = [try Self.company(company)] }
        if let data { filter.data = try DataPattern(data) }
        filter.favouritesOnly = favourite
        guard !filter.isEmpty else { return ScanFilter() }
        let favourites = favourite ? FavouritesFile.read(shared) : []
        return ScanFilter(condition: { [filter] in filter.shows($0, isFavourite: favourites.contains($0.id)) })
    }

    private static func company(_ text: String) throws -> CompanyIdentifier {
        if let number = UInt16(decimalOrHex: text) {
            return CompanyIdentifier(rawValue: number)
        }
        let exact = AssignedNumbers.companies(named: text)
        let found = exact.isEmpty ? AssignedNumbers.companies(containing: text) : exact
        if found.count == 1 { return found[0] }
        let names = found.prefix(5).compactMap { company in company.name.map { "'\($0)'" } }
        throw ProgramError(
            .usage,
            found.isEmpty
                ? "no company is named '\(text)'"
                : "\(found.count) companies match '\(text)': \(names.joined(separator: ", "))"
                    + (found.count > 5 ? ", ..." : "")
        )
    }

    private func stream(_ scan: Scan) async throws -> Int {
        var count = 0
        for try await found in scan {
            count += 1
            let (row, time) = (DeviceRow(found), Date.now.timestamp)
            let bytes = found.packet ?? row.advertisement.encoded
            if shared.json {
                Console.json(
                    row.json.adding([
                        "time": .string(time), "hex": .string(bytes.hexText()),
                        "scanResponse": .bool(found.isScanResponse),
                    ]))
            } else {
                let parts = [
                    time, TerminalText.fit(row.rssi.map(String.init) ?? "?", to: 4, atEnd: true),
                    row.address?.text ?? row.id.description, TerminalText.safe(row.name ?? "-"),
                    bytes.hexText(separator: " "),
                ]
                Console.line(parts.joined(separator: "  "))
            }
        }
        return count
    }

    private func nothing(_ scan: Scan, _ duration: Duration?) -> ProgramError {
        let time = duration.map { " in \($0.secondsText)" } ?? ""
        switch scan.hiddenCount {
        case 0: return ProgramError(.notFound, "no device was found\(time)")
        case 1: return ProgramError(.notFound, "no device matches\(time); the filter hid 1 device")
        case let count:
            return ProgramError(.notFound, "no device matches\(time); the filter hid \(count.counted("device"))")
        }
    }
}
