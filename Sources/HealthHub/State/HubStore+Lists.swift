import Foundation
import GRDB

/// A reading in a list: its value, its judgement and its origin.
package struct ListedReading: Sendable, Encodable {
    package var id, kind: String
    /// The time of the measurement (RFC 3339).
    package var time: String
    /// The time of arrival (RFC 3339).
    package var arrived: String
    /// The main quantities in one line: "142/88 mmHg".
    package var text: HubText
    /// The quantities by name, with the digits of the device.
    package var values: [String: PersonState.StateQuantity]
    package var device: StoredDevice
    package var gateway: String?
    /// The user index of the device.
    package var user: Int?
    package var deviceTime: String?
    package var simulated: Bool
    package var judgement: Judgement
    /// False for a reading that does not count in means and plots, such as one of a control solution.
    package var counted: Bool
    /// True if the sender has marked the reading as entered in error.
    package var retracted: Bool
    /// True if the reading waits for a decision, because it is implausible.
    package var waiting: Bool
    /// True if a person has excluded the reading.
    package var excluded: Bool
    /// The conditions of the measurement, such as the fluid, the place on the body, and an irregular pulse.
    package var qualifiers: [HubText]
    /// True for the context of a glucose measurement, which is no measurement of its own.
    package var glucoseContext: Bool
}

/// A part of a list of readings.
package struct ReadingPage: Sendable, Encodable {
    /// The readings, latest first.
    package var readings: [ListedReading]
    /// The number of readings of the whole list.
    package var total: Int
    /// The place after which the next part begins; nil if there is none.
    package var next: ReadingPlace?

    private enum Key: String, CodingKey { case readings, total, next }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(readings, forKey: .readings)
        try container.encode(total, forKey: .total)
        try container.encode(next?.text, forKey: .next)
    }
}

/// A place in a list of readings: those after it are earlier, or as early and were stored before.
package struct ReadingPlace: Sendable, Equatable {
    var taken, id: Int64

    init(_ reading: StoredReading) { (taken, id) = (Int64(reading.taken.timeIntervalSince1970), reading.id) }

    /// Parses the form of the API; nil for another text.
    package init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let taken = parts[0], let id = parts[1] else { return nil }
        (self.taken, self.id) = (taken, id)
    }

    /// The form of the API.
    package var text: String { "\(taken)_\(id)" }
}

extension HubStore {
    /// The maximum number of readings in a part of a list.
    package static let longestList = 2000

    /// Returns the latest readings of a person, latest first; nil for an unknown person.
    /// - Parameters:
    ///   - before: the place after which the part begins; nil for the beginning.
    ///   - limit: the maximum number of readings.
    package func readings(
        of id: Int64, kind: MeasurementKind?, since: Date, before: ReadingPlace? = nil,
        limit: Int = HubStore.longestList
    ) throws -> ReadingPage? {
        try database.read { db in
            guard let person = try Self.person(id, db) else { return nil }
            let condition =
                "reading.person_id = ? AND reading.taken > ?"
                + (kind.map { " AND reading.kind = \($0.rawValue)" } ?? "")
            return try page(
                condition, [id, Int64(since.timeIntervalSince1970)], before: before, limit: limit, of: person, db)
        }
    }

    /// Returns the latest unassigned readings, latest first.
    /// - Parameters:
    ///   - before: the place after which the part begins; nil for the beginning.
    ///   - limit: the maximum number of readings.
    package func unassignedReadings(before: ReadingPlace? = nil, limit: Int = 500) throws -> ReadingPage {
        try database.read { db in
            try page(
                "reading.person_id IS NULL AND \(StoredReading.isOriginal)", [], before: before, limit: limit, of: nil,
                db)
        }
    }

    /// Returns a part of the readings that meet a condition.
    private func page(
        _ condition: String, _ arguments: StoreArguments, before: ReadingPlace?, limit: Int, of person: Person?,
        _ db: any StoreConnection
    ) throws -> ReadingPage {
        let total = try db.value("SELECT count(*) FROM reading WHERE \(condition)", arguments) as Int?
        let place: StoreArguments = before.map { [$0.taken, $0.id] } ?? []
        var readings = try db.rows(
            StoredReading.sql + " WHERE \(condition)"
                + (before == nil ? "" : " AND (reading.taken, reading.id) < (?, ?)")
                + " ORDER BY reading.taken DESC, reading.id DESC LIMIT \(limit + 1)", arguments + place
        ).map(StoredReading.init)
        let isCut = readings.count > limit
        if isCut { readings.removeLast() }
        return ReadingPage(
            readings: readings.map { listed($0, person) }, total: total ?? 0,
            next: isCut ? readings.last.map(ReadingPlace.init) : nil)
    }

    private func listed(_ reading: StoredReading, _ person: Person?) -> ListedReading {
        ListedReading(
            id: String(reading.id), kind: reading.measurement?.kind.name ?? "other",
            time: FHIRResources.time(reading.taken), arrived: FHIRResources.time(reading.arrived),
            text: reading.measurement?.words ?? "octets that cannot be decoded",
            values: reading.measurement?.stateValues ?? [:], device: reading.device,
            gateway: reading.gateway, user: reading.measurement?.userIndex, deviceTime: reading.deviceTime,
            simulated: reading.isSimulated,
            judgement: reading.measurement.map { assessor.judge($0, of: person, at: reading.taken) }
                ?? .notJudged(reason: "the octets cannot be decoded"),
            counted: reading.measurement?.isCounted ?? false, retracted: reading.exclusion == .enteredInError,
            waiting: reading.exclusion == .waiting, excluded: reading.exclusion == .excluded,
            qualifiers: (reading.measurement?.qualifiers ?? []).map { HubText($0) },
            glucoseContext: reading.measurement?.isGlucoseContext ?? false)
    }
}
