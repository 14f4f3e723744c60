import Explorer
import Harald
import Synchronization

/// Scans for the device that a selector names.
struct DeviceFinder {
    let central: Central
    let selector: DeviceSelector
    var pick: DevicePick?
    var services: [BluetoothUUID] = []
    /// True to include devices that are not connectable.
    var includesBeacons = false
    var timeout: Duration = .seconds(10)
    /// Prompts the user for ``DevicePick/ask``.
    var person: any AskedPerson = PersonAtTerminal()

    /// The time to continue after the first match, in which equal or better matches may appear.
    private var grace: Duration {
        if selector.isUnique { return .zero }
        switch pick {
        case .first: return .zero
        case .strongest, .only, .ask: return .seconds(2)
        case nil: return .milliseconds(600)
        }
    }

    func find() async throws -> ScanResult {
        let heard = HeardDevices()
        let start = ContinuousClock.now
        // Opening the adapter has taken a part of the time. A longer scan would end after the deadline, whose message
        // does not list the devices.
        let longest = max(.zero, min(timeout, CommandDeadline.shared.remaining ?? timeout))
        try await listen(for: longest, untilFound: true, heard)
        let rest = min(grace, start + longest - .now)
        if heard.all.contains(where: { selector.fit($0.candidate) > .not }), rest > .zero {
            try await listen(for: rest, untilFound: false, heard)
        }
        let all = heard.all
        let usable = all.filter { includesBeacons || $0.isConnectable }
        if pick == .ask, !usable.isEmpty { return try await asked(usable) }
        switch selector.choose(among: usable.map(\.candidate), pick) {
        case .success(let candidate):
            if let found = usable.first(where: { $0.id == candidate.id }) { return found }
            throw notFound(all)
        case .failure(.none): throw notFound(all)
        case .failure(.several(let candidates)):
            let list = candidates.map { "\n  \($0.line)" }.joined()
            throw ProgramError(
                .notFound,
                "\(candidates.count) devices match; use an address or identifier, or --pick strongest:"
                    + list)
        }
    }

    /// Returns the device that the user chooses by its number; the strongest is listed first.
    private func asked(_ usable: [ScanResult]) async throws -> ScanResult {
        let sorted = usable.sorted { ($0.rssi ?? -128) > ($1.rssi ?? -128) }
        let list = sorted.enumerated().map { "\n  \($0.offset + 1)  \($0.element.candidate.line)" }.joined()
        Console.message("devices:" + list)
        return try await CommandDeadline.shared.whilePaused {
            for _ in 0..<3 {
                guard let line = await person.line("which device? [1-\(sorted.count)] "), !line.isEmpty else { break }
                if let number = Int(line), (1...sorted.count).contains(number) { return sorted[number - 1] }
                Console.message("'\(line)' is not a number from 1 to \(sorted.count)")
            }
            try Task.checkCancellation()
            throw ProgramError(.notFound, "no device was selected")
        }
    }

    /// Scans for matching devices, until one is found or to the end of the time, and records all devices.
    private func listen(for duration: Duration, untilFound: Bool, _ heard: HeardDevices) async throws {
        let filter = ScanFilter(
            services: services,
            condition: { [selector, includesBeacons] found in
                let (fit, isUsable) = (selector.fit(found.candidate), includesBeacons || found.isConnectable)
                heard.note(found, rank: fit.rawValue * 2 + (isUsable ? 1 : 0))
                return isUsable && fit > .not
            })
        for try await _ in central.scan(filter: filter, duration: duration) where untilFound { return }
        try Task.checkCancellation()
    }

    private func notFound(_ heard: [ScanResult]) -> ProgramError {
        if heard.contains(where: { selector.fit($0.candidate) > .not }) {
            return ProgramError(.notFound, "\(selector) is not connectable; 'harald info' shows its advertisement")
        }
        // Named devices first: the user may have mistyped one of the names.
        let candidates = heard.map(\.candidate)
        let named = candidates.compactMap { $0.identity ?? $0.name }.sorted()
        let unnamed = candidates.filter { $0.identity ?? $0.name == nil }.map { $0.address ?? $0.id.description }
            .sorted()
        let names = (named + unnamed).prefix(8)
        let others =
            heard.isEmpty
            ? "no device was found" : "found: \(names.joined(separator: ", "))\(heard.count > 8 ? ", ..." : "")"
        // A scene of this process replaces the user's air if no program offers it.
        let place =
            central.adapter.uri.hasPrefix("virtual:")
            ? "; no other program is on this air: --adapter virtual: joins 'harald simulate' only while it runs" : ""
        return ProgramError(
            .notFound,
            "\(selector) was not found in \(timeout.secondsText); \(others)\(meant(named))\(place)")
    }

    /// Suggests devices whose names contain the text.
    private func meant(_ names: [String]) -> String {
        guard case .name(let name) = selector else { return "" }
        let like = Set(names.filter { $0.lowercased().contains(name.lowercased()) }).sorted()
        return like.isEmpty ? "" : "; did you mean \(like.map { "'\($0)'" }.joined(separator: " or "))?"
    }
}

/// The devices that a search has received, in the order of their discovery. Of each device it keeps the advertisement
/// that matches best, because a device may advertise several names in turn.
private final class HeardDevices: Sendable {
    private struct State {
        var results: [ScanResult] = []
        var ranks: [Int] = []
        var places: [PeripheralID: Int] = [:]
    }

    private let state = Mutex(State())

    var all: [ScanResult] { state.withLock { $0.results } }

    func note(_ found: ScanResult, rank: Int) {
        state.withLock { state in
            if let place = state.places[found.id] {
                guard rank >= state.ranks[place] else { return }
                (state.results[place], state.ranks[place]) = (found, rank)
            } else {
                state.places[found.id] = state.results.count
                state.results.append(found)
                state.ranks.append(rank)
            }
        }
    }
}

extension ScanResult {
    var candidate: DeviceSelector.Candidate {
        let address = peripheral.address
        return DeviceSelector.Candidate(
            id: id, name: name, identity: AdvertisedReader.shared.name(of: address), address: address?.text, rssi: rssi)
    }
}

extension DeviceSelector.Candidate {
    var line: String {
        [identity ?? name ?? "-", address, id.description, rssi.map { "\($0) dBm" }].compactMap { $0 }.joined(
            separator: "  ")
    }
}
