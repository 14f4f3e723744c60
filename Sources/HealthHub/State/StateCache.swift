#if Programs
import Foundation
import GRDB
import Synchronization

/// The states of people since the last commit, with their JSON: requests that ask at the same time share one.
final class StateCache: TransactionObserver, Sendable {
    private struct Entry {
        let commit: UInt64
        let made: ContinuousClock.Instant
        let json: String
    }

    private struct Cached {
        var commit: UInt64 = 0
        var entries: [Int64: Entry] = [:]
    }

    /// A state depends on the time, too.
    private static let longestAge = Duration.seconds(1)
    private static let bound = 200
    private let cached = Mutex(Cached())

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { cached.withLock { $0.commit += 1 } }
    func databaseDidRollback(_ db: Database) {}

    /// The state of a person as of the last commit or later, as JSON.
    func json(of person: Int64, make: () throws -> PersonState?) throws -> String? {
        let now = ContinuousClock.now
        let (commit, entry) = cached.withLock { ($0.commit, $0.entries[person]) }
        if let entry, entry.commit == commit, now - entry.made < Self.longestAge { return entry.json }
        // The commit was read first: what is read now is that or later.
        guard let state = try make() else {
            cached.withLock { $0.entries[person] = nil }
            return nil
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(state), as: UTF8.self)
        cached.withLock { cached in
            if cached.entries.count >= Self.bound { cached.entries = [:] }
            cached.entries[person] = Entry(commit: commit, made: now, json: json)
        }
        return json
    }
}

extension HubStore {
    /// State of a person now, as a JSON object; nil for an unknown person. Requests that ask at the same time share one.
    package func currentStateJSON(of id: Int64) throws -> String? {
        try states.json(of: id) { try state(of: id) }
    }
}
#endif
