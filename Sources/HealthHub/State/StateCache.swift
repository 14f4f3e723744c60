#if Programs
import Foundation
import Synchronization

/// Caches the states of people since the last commit as JSON, so that concurrent requests share one computation.
final class StateCache: Sendable {
    private struct Entry {
        let version: String
        let made: ContinuousClock.Instant
        let json: String
    }

    /// The maximum age, because a state also depends on the current time.
    private static let longestAge = Duration.seconds(1)
    private static let bound = 200
    private let entries = Mutex<[Int64: Entry]>([:])

    /// Returns the state of a person as of the last commit or later, as JSON.
    /// - Parameter version: the version of the store, which was read before the call.
    func json(of person: Int64, version: String, make: () throws -> PersonState?) throws -> String? {
        let now = ContinuousClock.now
        let entry = entries.withLock { $0[person] }
        if let entry, entry.version == version, now - entry.made < Self.longestAge { return entry.json }
        // The version was read first, so the state read now is of this version or a later one.
        guard let state = try make() else {
            entries.withLock { $0[person] = nil }
            return nil
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(state), as: UTF8.self)
        entries.withLock { entries in
            if entries.count >= Self.bound { entries = [:] }
            entries[person] = Entry(version: version, made: now, json: json)
        }
        return json
    }
}

extension HubStore {
    /// Returns the current state of a person as a JSON object; nil for an unknown person. Concurrent requests share one
    /// result.
    /// - Throws: `DatabaseError`.
    package func currentStateJSON(of id: Int64) throws -> String? {
        try states.json(of: id, version: database.version()) { try state(of: id) }
    }
}
#endif
