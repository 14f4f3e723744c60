#if Programs
import Foundation
import GRDB
import Synchronization

/// Caches the states of people since the last commit as JSON, so that concurrent requests share one computation.
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

    /// Limits the age, because a state also depends on the current time.
    private static let longestAge = Duration.seconds(1)
    private static let bound = 200
    private let cached = Mutex(Cached())

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { cached.withLock { $0.commit += 1 } }
    func databaseDidRollback(_ db: Database) {}

    /// Returns the state of a person as of the last commit or later, as JSON.
    func json(of person: Int64, make: () throws -> PersonState?) throws -> String? {
        let now = ContinuousClock.now
        let (commit, entry) = cached.withLock { ($0.commit, $0.entries[person]) }
        if let entry, entry.commit == commit, now - entry.made < Self.longestAge { return entry.json }
        // The commit number was read first, so the state read now is of this commit or a later one.
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
    /// Returns the current state of a person as a JSON object; nil for an unknown person. Concurrent requests share one
    /// result.
    /// - Throws: `DatabaseError`.
    package func currentStateJSON(of id: Int64) throws -> String? {
        try states.json(of: id) { try state(of: id) }
    }
}
#endif
