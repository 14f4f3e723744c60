import Foundation
import GRDB

/// The reason why a stored reading does not count, although its measurement does. Raw values are stored.
package enum Exclusion: Int64, Sendable {
    /// Its sender has marked it as entered in error (HubStore+Retraction.swift).
    case enteredInError = 1
    /// It is implausible, and waits until a person decides whose it is.
    case waiting
    case excluded

    /// Returns the exclusion in the column `retracted`; nil for a reading that counts.
    static func of(_ row: Row) -> Exclusion? { (row["retracted"] as Int64?).flatMap(Exclusion.init) }
}

/// A decision of a person about a single reading.
package enum ReadingDecision: Codable, Sendable {
    /// It belongs to its person and counts, although it is implausible or was excluded.
    case accept
    /// It does not count.
    case exclude(reason: String)
    /// It belongs to another person; nil for nobody.
    case move(person: Int64?)

    /// The word in the table.
    fileprivate var state: String {
        switch self {
        case .accept: "accepted"
        case .exclude: "excluded"
        case .move: "moved"
        }
    }
}

package struct WaitingReading: Sendable, Encodable {
    package var id, person: String
    /// The time of the measurement (RFC 3339).
    package var time: String
    /// The main quantities in one line.
    package var text: HubText
    package var reason: HubText
}

/// The decisions about single readings. `decision` has the last one of each, and the reason of a reading that waits.
extension HubStore {
    /// Decides about readings, all or none.
    /// - Parameters:
    ///   - scope: the scope of the actor; nil for all.
    /// - Throws: ``HubProblem`` for an unknown reading or person, one that is not in the scope, and a decision without
    ///   effect.
    package func decide(
        _ decision: ReadingDecision, on ids: [Int64], scope: AccessScope? = nil, by who: String = HubStore.commandLine
    ) throws {
        func isVisible(_ person: Int64?) -> Bool { scope.map { person.map($0.people.contains) ?? false } ?? true }
        try database.write(.administration) { db in
            var changed: Set<Int64> = []
            for id in ids {
                let row = try db.row(
                    "SELECT person_id, retracted FROM reading WHERE id = ? AND \(StoredReading.isOriginal)", [id])
                guard let row, isVisible(row["person_id"]) else {
                    throw HubProblem(
                        .notFound, "there is no reading \(id); 'harald hub reading list' lists those that wait")
                }
                let person: Int64? = row["person_id"]
                let state = Exclusion.of(row)
                switch decision {
                case .accept:
                    guard state == .waiting || state == .excluded else {
                        throw HubProblem(
                            .conflict,
                            state == nil
                                ? "reading \(id) counts already"
                                : "its sender has marked reading \(id) as entered in error")
                    }
                    try Self.count(id, of: person, db)
                case .exclude(let reason):
                    let text = reason.trimmingCharacters(in: .whitespaces)
                    try Self.checkName(text)
                    try Self.exclude(id, .excluded, of: person, db)
                case .move(let other):
                    guard other != person else { throw HubProblem(.conflict, "reading \(id) belongs there already") }
                    if let other, try !isVisible(other) || Self.person(other, db) == nil {
                        throw HubProblem.noPerson(other)
                    }
                    if other != nil, state == .waiting { try Self.count(id, of: nil, db) }
                    try Self.reassign(where: "id = ?", [id], to: other, db)
                    try db.run("UPDATE reading SET person_id = ? WHERE id = ?", [other, id])
                    if let person { try Self.removeLostAccess(to: person, db) }
                }
                var reason: String?
                if case .exclude(let text) = decision { reason = text }
                try Self.audit(who, "reading \(decision.state) \(id)", db)
                // A reading of nobody still waits.
                if case .move(nil) = decision, state == .waiting { continue }
                try Self.note(decision.state, reason, of: id, by: who, db)
                if case .move(let other?) = decision { changed.insert(other) }
                if let person { changed.insert(person) }
            }
            for person in changed.sorted() { try Self.compareWaiting(of: person, db) }
        }
    }

    /// Returns the readings that wait for a decision, latest first.
    /// - Parameter person: the person to whom they belong; nil for all.
    package func waitingReadings(of person: Int64? = nil) throws -> [WaitingReading] {
        try database.read { try Self.waitingReadings(of: person, $0) }
    }

    static func waitingReadings(of person: Int64?, _ db: any StoreConnection) throws -> [WaitingReading] {
        let condition = person == nil ? "IS NOT NULL" : "= ?"
        return try db.rows(
            """
            SELECT reading.id, person_id, taken, reason, \(HealthMeasurement.columns) FROM reading
            LEFT JOIN decision ON reading_id = reading.id
            WHERE person_id \(condition) AND retracted = 2 ORDER BY taken DESC, reading.id DESC LIMIT 200
            """, person.map { [$0] } ?? []
        ).map { row in
            WaitingReading(
                id: String(row["id"] as Int64), person: String(row["person_id"] as Int64),
                time: row.time("taken"), text: HealthMeasurement(row)?.words ?? "",
                reason: Self.implausible(row["reason"]))
        }
    }

    /// Excludes a reading, or lets it count. One that does not count has no values for statistics.
    static func mark(_ id: Int64, _ exclusion: Exclusion?, _ db: any StoreConnection) throws {
        let row = try db.row("SELECT \(HealthMeasurement.columns) FROM reading WHERE id = ?", [id])
        let measurement = exclusion == nil ? row.flatMap { HealthMeasurement($0) } : nil
        let numbers = measurement?.isCounted == true ? measurement?.statistics ?? [] : []
        let values = numbers + Array(repeating: nil, count: 3 - numbers.count)
        try db.run(
            "UPDATE reading SET retracted = ?, v1 = ?, v2 = ?, v3 = ? WHERE id = ?",
            [exclusion?.rawValue, values[0], values[1], values[2], id])
    }

    /// Makes a reading count, unless its sender has marked it as entered in error.
    private static func count(_ id: Int64, of person: Int64?, _ db: any StoreConnection) throws {
        try mark(id, nil, db)
        guard try !updateRetraction(of: id, db).isRetracted, let person else { return }
        // The receivers have it with the reason why it does not count.
        try db.run(
            "UPDATE forwarded SET state = ? WHERE reading_id = ? AND person_id = ? AND state = ?",
            [ForwardingState.restored.rawValue, id, person, ForwardingState.forwarded.rawValue])
        try forward(id, of: person, receivers(db), db)
    }

    private static func exclude(
        _ id: Int64, _ exclusion: Exclusion, of person: Int64?, _ db: any StoreConnection
    ) throws {
        try mark(id, exclusion, db)
        // Receivers have a reading that waits as one that does not count.
        if exclusion == .excluded, let person { try retract(id, of: person, receivers(db), db) }
    }

    private static func note(
        _ state: String, _ reason: String?, of id: Int64, by who: String, _ db: any StoreConnection
    ) throws {
        try db.run(
            """
            INSERT INTO decision(reading_id, state, reason, who, time) VALUES (?, ?, ?, ?, ?) ON CONFLICT(reading_id)
            DO UPDATE SET state = excluded.state, reason = excluded.reason, who = excluded.who, time = excluded.time
            """, [id, state, reason, who, now])
    }

    // MARK: Implausible weights

    /// The difference from the last weight up to which a weight is plausible, in kg: what a person can gain or lose in
    /// a day, and in each further week. It is no medical limit: it tells people apart who use one scale.
    private static let (plausibleStep, plausibleWeekly) = (5.0, 1.0)

    /// The latest weight that counts before a reading. Arguments: person, time and identifier of the reading.
    private static let lastWeight =
        [MeasurementKind.weight, .bodyComposition].map { kind in
            """
            SELECT * FROM (SELECT taken, id, v1 FROM reading WHERE person_id = ?1 AND kind = \(kind.rawValue)
            AND taken <= ?2 AND id <> ?3 AND v1 IS NOT NULL ORDER BY taken DESC, id DESC LIMIT 1) AS \(kind.name)
            """
        }.joined(separator: " UNION ALL ") + " ORDER BY taken DESC, id DESC LIMIT 1"

    /// Returns the reason why a weight differs too much from the last one that counts before it; nil if it does not.
    private static func implausibility(
        of weight: Double, _ id: Int64, of person: Int64, at taken: Int64, _ db: any StoreConnection
    ) throws -> String? {
        guard let row = try db.row(lastWeight, [person, taken, id]) else { return nil }
        let difference = weight - (row["v1"] as Double)
        let weeks = Double(taken - (row["taken"] as Int64)) / (7 * 86400)
        guard abs(difference) > plausibleStep + plausibleWeekly * weeks else { return nil }
        return "\((abs(difference) * 10).rounded() / 10) kg \(difference > 0 ? "more" : "less") than the last weight"
    }

    /// Lets the new weights of people wait for a decision that are implausible.
    /// - Parameter readings: identifier, person, time and weight in kg.
    /// - Returns: the reasons, by identifier.
    static func holdImplausible(
        _ readings: [(id: Int64, person: Int64, taken: Int64, weight: Double)], _ db: any StoreConnection
    ) throws -> [Int64: String] {
        var reasons: [Int64: String] = [:]
        for reading in readings.sorted(by: { ($0.taken, $0.id) < ($1.taken, $1.id) }) {
            let reason = try implausibility(
                of: reading.weight, reading.id, of: reading.person, at: reading.taken, db)
            guard let reason else { continue }
            try exclude(reading.id, .waiting, of: reading.person, db)
            try note("waiting", reason, of: reading.id, by: "hub", db)
            reasons[reading.id] = reason
        }
        return reasons
    }

    /// Compares the weights of a person that wait again, after a change of the weights that count. One that is
    /// plausible now counts, also for those after it.
    static func compareWaiting(of person: Int64, _ db: any StoreConnection) throws {
        let rows = try db.rows(
            """
            SELECT id, taken, reason, \(HealthMeasurement.columns) FROM reading JOIN decision ON reading_id = id
            WHERE person_id = ? AND retracted = 2 ORDER BY taken, id
            """, [person])
        for row in rows {
            guard let weight = HealthMeasurement(row)?.countedWeight else { continue }
            let id: Int64 = row["id"]
            if let reason = try implausibility(of: weight, id, of: person, at: row["taken"], db) {
                if reason != row["reason"] { try note("waiting", reason, of: id, by: "hub", db) }
            } else {
                try db.run("DELETE FROM decision WHERE reading_id = ?", [id])
                try count(id, of: person, db)
            }
        }
    }

    /// Returns the stored reason why a reading waits, for people.
    static func implausible(_ reason: String?) -> HubText {
        guard let match = reason?.wholeMatch(of: /([0-9.]+) kg (more|less) than the last weight/) else {
            return HubText(reason ?? "implausible")
        }
        let difference = String(match.1)
        return match.2 == "more"
            ? "\(digits: difference) kg more than the last weight"
            : "\(digits: difference) kg less than the last weight"
    }

    /// Lets the weights of a person that an assignment has moved wait for a decision if they are implausible.
    static func holdImplausible(
        of person: Int64, where condition: String, _ arguments: StoreArguments, _ db: any StoreConnection
    ) throws {
        let kinds = [MeasurementKind.weight, .bodyComposition].map { String($0.rawValue) }.joined(separator: ", ")
        let rows = try db.rows(
            """
            SELECT id, taken, v1 FROM reading WHERE person_id = ? AND kind IN (\(kinds)) AND v1 IS NOT NULL
            AND (\(condition)) AND NOT EXISTS(SELECT 1 FROM decision WHERE reading_id = reading.id)
            """, [person] + arguments)
        _ = try holdImplausible(
            rows.map { (id: $0["id"], person: person, taken: $0["taken"], weight: $0["v1"]) }, db)
    }
}

extension HealthMeasurement {
    /// Marks the measurement as one that does not count.
    /// - Parameter reason: the reason that a person gave, or why it waits; nil for none.
    mutating func exclude(_ exclusion: Exclusion, reason: String?) {
        isBeyondRange = false
        reservation =
            switch exclusion {
            case .enteredInError: Self.enteredInError
            case .waiting: "it waits for a decision, whose it is: \(HubStore.implausible(reason))"
            case .excluded: "it was excluded: \(reason ?? "–")"
            }
    }

    /// The weight in kg of a weight or body composition that counts; nil for others.
    var countedWeight: Double? {
        guard kind == .weight || kind == .bodyComposition, isCounted else { return nil }
        return statistics.first ?? nil
    }
}
