import Foundation
import Synchronization

/// Records who read the data of whom: an entry for each sender, person and hour.
///
/// The entries are written after the answer, many in one transaction, so that data stays readable on a full disk.
final class AccessLog: Sendable {
    private struct Entry: Hashable {
        let hour: Int64
        let who: String
        let person: Int64
    }

    private struct State {
        /// The entries of the latest hour.
        var noted: Set<Entry> = []
        var pending: [Entry] = []
        var writing: Task<Void, Never>?
    }

    /// The hours for which entries are kept: 400 days.
    private static let kept: Int64 = 400 * 24
    private let state = Mutex(State())

    func note(_ who: String, read people: some Sequence<Int64>, _ database: any StoreDatabase) {
        let hour = HubStore.now / 3600
        state.withLock { state in
            if state.noted.first?.hour != hour { state.noted = [] }
            for person in people {
                let entry = Entry(hour: hour, who: who, person: person)
                if state.noted.insert(entry).inserted { state.pending.append(entry) }
            }
            guard !state.pending.isEmpty, state.writing == nil else { return }
            state.writing = Task { [self] in while let entries = next() { await write(entries, database) } }
        }
    }

    /// Waits until all entries are written.
    func finish() async { await state.withLock { $0.writing }?.value }

    private func next() -> [Entry]? {
        state.withLock { state in
            guard !state.pending.isEmpty else {
                state.writing = nil
                return nil
            }
            defer { state.pending = [] }
            return state.pending
        }
    }

    private func write(_ entries: [Entry], _ database: any StoreDatabase) async {
        do {
            try await database.write(.rows) { db in
                let known = try db.value("SELECT max(hour) FROM access") as Int64? ?? 0
                try db.runAll(
                    "INSERT INTO access(hour, who, person_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    entries.map { [$0.hour, $0.who, $0.person] })
                guard let last = entries.last?.hour, last > known else { return }
                try db.run("DELETE FROM access WHERE hour < ?", [last - Self.kept])
            }
        } catch {
            // The next request of the same hour records it.
            state.withLock { $0.noted.subtract(entries) }
            HubStore.logger.error(
                "the record of who read the data of whom lacks entries",
                metadata: ["entries": "\(entries.count)", "error": "\(error)"])
        }
    }
}

/// An hour in which somebody read the data of a person.
package struct AccessEntry: Sendable, Equatable, Encodable {
    /// The beginning of the hour (RFC 3339).
    package var hour: String
    /// The reader: an account, a token, or the command line.
    package var who: String
    package var person: String
}

extension HubStore {
    /// Records that a sender reads the data of people.
    package func noteRead(by who: String, of people: some Sequence<Int64>) {
        accessLog.note(String(who.prefix(200)), read: people, database)
    }

    /// Waits until the record of who read the data of whom is written.
    package func finishAccessLog() async { await accessLog.finish() }

    /// Returns the latest hours in which data was read, latest first.
    /// - Parameter person: the person whose data was read; nil for all.
    package func accessLog(of person: Int64? = nil, limit: Int = 1000) throws -> [AccessEntry] {
        try database.read { db in
            try db.rows(
                """
                SELECT * FROM access WHERE person_id = coalesce(CAST(? AS BIGINT), person_id)
                ORDER BY hour DESC, who, person_id LIMIT ?
                """, [person, limit]
            ).map { row in
                let time = Date(timeIntervalSince1970: Double(row["hour"] as Int64) * 3600)
                return AccessEntry(
                    hour: time.formatted(.iso8601), who: row["who"], person: String(row["person_id"] as Int64))
            }
        }
    }
}
