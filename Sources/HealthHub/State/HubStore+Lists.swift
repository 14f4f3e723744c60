#if Programs
import Foundation
import GRDB

/// A reading in a list: its value, its judgement and its origin.
package struct ListedReading: Sendable, Encodable {
    /// The identifier.
    package var id: String
    /// The kind.
    package var kind: String
    /// The time of the measurement (RFC 3339).
    package var time: String
    /// The time of arrival (RFC 3339).
    package var arrived: String
    /// The main quantities in one line: "142/88 mmHg".
    package var text: String
    /// The quantities by name, with the digits of the device.
    package var values: [String: PersonState.StateQuantity]
    /// The device.
    package var device: StoredDevice
    /// The name of the gateway.
    package var gateway: String?
    /// The user index of the device.
    package var user: Int?
    /// The time on the device's clock.
    package var deviceTime: String?
    /// True if the device is simulated.
    package var simulated: Bool
    /// The judgement.
    package var judgement: Judgement
    /// False for a reading that does not count in means and plots, such as one of a control solution.
    package var counted: Bool
}

extension HubStore {
    /// The maximum number of readings in a list.
    package static let longestList = 2000

    /// Returns the latest readings of a person, latest first; nil for an unknown person.
    /// - Throws: `DatabaseError`.
    package func readings(of id: Int64, kind: ReadingKind?, since: Date) throws -> [ListedReading]? {
        try database.read { db in
            guard let person = try Self.person(id, db) else { return nil }
            let condition = kind == nil ? "" : "AND reading.kind = \(kind?.rawValue ?? 0)"
            return try db.rows(
                StoredReading.sql + """
                     WHERE reading.person_id = ? AND reading.taken > ? \(condition)
                    ORDER BY reading.taken DESC, reading.id DESC LIMIT \(Self.longestList)
                    """, [id, Int64(since.timeIntervalSince1970)]
            ).map { listed(StoredReading($0), person) }
        }
    }

    /// Returns the latest unassigned readings, latest first.
    /// - Throws: `DatabaseError`.
    package func unassignedReadings() throws -> [ListedReading] {
        try database.read { db in
            try db.rows(
                StoredReading.sql + """
                     WHERE reading.person_id IS NULL AND \(StoredReading.isOriginal)
                    ORDER BY reading.id DESC LIMIT 500
                    """, []
            ).map { listed(StoredReading($0), nil) }
        }
    }

    private func listed(_ reading: StoredReading, _ person: Person?) -> ListedReading {
        var values: [String: PersonState.StateQuantity] = [:]
        for quantity in reading.measurement?.quantities ?? [] {
            values[quantity.name] = PersonState.StateQuantity(
                value: quantity.value, special: quantity.value == nil ? quantity.text : nil, unit: quantity.unit)
        }
        return ListedReading(
            id: String(reading.id), kind: reading.measurement?.kind.name ?? "other",
            time: FHIRResources.time(reading.taken), arrived: FHIRResources.time(reading.arrived),
            text: reading.measurement?.text ?? "octets that cannot be decoded", values: values, device: reading.device,
            gateway: reading.gateway, user: reading.measurement?.userIndex, deviceTime: reading.deviceTime,
            simulated: reading.isSimulated,
            judgement: reading.measurement.map { assessor.judge($0, of: person, at: reading.taken) }
                ?? .notJudged(reason: "the octets cannot be decoded"),
            counted: reading.measurement?.isCounted ?? false)
    }
}
#endif
