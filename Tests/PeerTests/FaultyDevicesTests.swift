#if os(Linux)
import Foundation
import Harald
import PeerSupport
import Synchronization
import Testing
import Workbench

extension PeerSuites {
    /// Tests of `harald check` with devices that were written independently of its rules. By default a part of the list
    /// is checked; `HARALD_FAULTY=N/COUNT` selects another one, and `Scripts/check-faulty` runs all parts.
    @Suite("Faulty devices of Bumble's")
    struct FaultyDevicesTests {
        /// A device of `faulty.py`.
        struct Entry: Sendable {
            var name: String
            var isClean: Bool
            /// True if its private address changes each minute, or should.
            var isPrivate: Bool
        }

        /// The number of devices that are checked at a time.
        private static let atATime = 6

        @Test("check finds each fault, and nothing in clean devices", .timeLimit(.minutes(30)))
        func all() async throws {
            let entries = try await Self.entries()
            #expect(entries.count > 150)
            var waiting = Self.part(of: entries)[...]
            #expect(!waiting.isEmpty)
            let wrong: [String] = try await withThrowingTaskGroup(of: String?.self) { group in
                var wrong: [String] = []
                for entry in waiting.prefix(Self.atATime) { group.addTask { try await Self.problem(with: entry) } }
                waiting = waiting.dropFirst(Self.atATime)
                while let problem = try await group.next() {
                    if let problem { wrong.append(problem) }
                    if let entry = waiting.popFirst() { group.addTask { try await Self.problem(with: entry) } }
                }
                return wrong
            }
            for problem in wrong { Issue.record("\(problem)") }
        }

        /// The entries of the part that is checked.
        private static func part(of entries: [Entry]) -> [Entry] {
            let text = ProcessInfo.processInfo.environment["HARALD_FAULTY"] ?? "0/16"
            let numbers = text.split(separator: "/").compactMap { Int($0) }
            guard numbers.count == 2, numbers[1] > 0 else { return entries }
            return entries.enumerated().filter { $0.offset % numbers[1] == numbers[0] }.map(\.element)
        }

        /// The list of the devices.
        private static func entries() async throws -> [Entry] {
            let peer = try Peers.start(.faulty, ["--list", "--json"])
            var entries: [Entry] = []
            for await line in peer.lines {
                guard let name = line["name"]?.text else { continue }
                let isPrivate = name == "clean-private" || name == "address-not-rotated"
                entries.append(Entry(name: name, isClean: line["fault"]?.text == nil, isPrivate: isPrivate))
            }
            await peer.terminate()
            return entries
        }

        /// Returns true if the only device on the air still advertises under its address 70 s later: clean devices
        /// advertise under another one after 60 s.
        private static func isHeardAfterChange(_ device: PeripheralID, by central: Central) async throws -> Bool {
            let end = central.clock.now.advanced(by: .seconds(70))
            for try await found in central.scan(duplicates: true, duration: .seconds(120)) {
                if found.id != device { return false }
                if central.clock.now >= end { return true }
            }
            throw ScanEndedError()
        }

        /// The device stopped advertising.
        private struct ScanEndedError: Error {}

        /// Checks a device; returns a description of a wrong result.
        private static func problem(with entry: Entry) async throws -> String? {
            try await OfferedAir.with { air in
                try await Peers.with(.faulty, [entry.name, air.controller]) { _, ready in
                    let address = ready["address"]?.text.flatMap { BluetoothAddress($0, kind: .random) }
                    let device = PeripheralID(try #require(address))
                    let setting = AdapterOptions(storage: .none)
                    let central = try await Central(adapter: air.radio.adapter(named: "central"), options: setting)
                    let second = try await Central(adapter: air.radio.adapter(named: "second"), options: setting)
                    try await second.waitUntilPoweredOn()
                    var heard = CheckAdvertising()
                    for try await found in central.scan(duplicates: true, duration: .seconds(20))
                    where found.id == device {
                        heard.note(found)
                        if heard.isEnough { break }
                    }
                    var options = CheckOptions()
                    options.allowed = [.writes, .pair, .hostile]
                    options.limit = nil
                    options.connectTimeout = .seconds(30)
                    if entry.isPrivate {
                        options.allowed.insert(.slow)
                        options.isHeardLater = { try await isHeardAfterChange(device, by: central) }
                    }
                    let outcomes = await DeviceCheck(options).run(
                        try #require(await central.peripheral(id: device)), heard: heard, hasFrames: true,
                        second: await second.peripheral(id: device))
                    await central.close()
                    await second.close()
                    let findings = CheckReport(outcomes).findings
                    if entry.isClean {
                        let list = findings.map { "\($0.rule.id): \($0.finding.message) (\($0.finding.evidence))" }
                        return findings.isEmpty ? nil : "\(entry.name) is clean, and has \(list)"
                    }
                    if ProcessInfo.processInfo.environment["HARALD_FAULTY"] != nil {
                        print(entry.name, Set(findings.map(\.rule.id)).sorted().joined(separator: " "))
                    }
                    return findings.isEmpty ? "nothing is found in \(entry.name)" : nil
                }
            }
        }
    }
}
#endif
