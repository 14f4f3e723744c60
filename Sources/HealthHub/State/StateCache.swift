import Foundation
import Synchronization

/// Caches the states of people since the last commit as JSON. Concurrent requests share one computation.
final class StateCache: Sendable {
    private struct Entry {
        let version: String
        let made: ContinuousClock.Instant
        let json: Task<String?, any Error>
    }

    /// The maximum age, because a state also depends on the current time.
    private static let longestAge = Duration.seconds(1)
    private static let bound = 200
    private struct Key: Hashable {
        let person: Int64
        let language: String
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Returns the state of a person as of the last commit or later, as JSON; nil if `make` returns nil.
    /// - Parameters:
    ///   - version: the version of the store, which was read before the call.
    ///   - make: computes the state, in a task of its own.
    func json(
        of person: Int64, version: String, in language: Language,
        make: @escaping @Sendable () async throws -> PersonState?
    ) async throws -> String? {
        let now = ContinuousClock.now
        let key = Key(person: person, language: language.code)
        let json = entries.withLock { entries in
            if let entry = entries[key], entry.version == version, now - entry.made < Self.longestAge {
                return entry.json
            }
            // The version was read first, so the state that is read now is of this version or a later one.
            let json = Task { try await make().map { try Self.json($0, in: language) } }
            if entries.count >= Self.bound { entries = [:] }
            entries[key] = Entry(version: version, made: now, json: json)
            return json
        }
        do {
            return try await json.value
        } catch {
            entries.withLock { entries in
                if entries[key]?.json == json { entries[key] = nil }
            }
            throw error
        }
    }

    private static func json(_ state: PersonState, in language: Language) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = Language.key { encoder.userInfo[key] = language }
        return String(decoding: try encoder.encode(state), as: UTF8.self)
    }
}

extension HubStore {
    /// Returns the current state of a person as a JSON object; nil for an unknown person. Concurrent requests share one
    /// result.
    package func currentStateJSON(of id: Int64, in language: Language = .english) async throws -> String? {
        try await states.json(of: id, version: database.version(), in: language) { [self] in
            try await perform { try $0.state(of: id) }
        }
    }
}
