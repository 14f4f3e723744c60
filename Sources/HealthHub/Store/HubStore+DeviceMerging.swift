import BluetoothModel
import Foundation
import GRDB

extension HubStore {
    /// Returns false if the devices are assigned to different people: only a person can decide then.
    static func canMerge(_ other: Int64, into device: Int64, _ db: any StoreConnection) throws -> Bool {
        try !db.isTrue(
            """
            SELECT EXISTS(SELECT 1 FROM assignment AS one JOIN assignment AS two
            ON one.user_index = two.user_index AND one.person_id <> two.person_id
            WHERE one.device_id = ? AND two.device_id = ?)
            """, [other, device])
    }

    /// Merges a device into another one that turned out to be the same. Readings that both have stay in the store as
    /// copies without a person, because their keys recognise readings that are sent again; copies that were forwarded
    /// are retracted.
    static func merge(_ other: Int64, into device: Int64, _ db: any StoreConnection) throws {
        try moveAttributes(of: other, to: device, db)
        let receivers = try receivers(db)
        for (copy, original) in try copies(in: other, of: device, db) {
            try db.run("INSERT INTO duplicate(reading_id, original_id) VALUES (?, ?)", [copy, original])
            guard let person = try db.value("SELECT person_id FROM reading WHERE id = ?", [copy]) as Int64? else {
                continue
            }
            try retract(copy, of: person, receivers, db)
            try db.run("UPDATE reading SET person_id = NULL WHERE id = ?", [copy])
            try reassign(where: "id = ? AND person_id IS NULL", [original], to: person, db)
            try db.run("UPDATE reading SET person_id = ? WHERE id = ? AND person_id IS NULL", [person, original])
        }
        try db.run(
            "UPDATE reading SET device_id = ? WHERE device_id = ? AND id NOT IN (SELECT reading_id FROM duplicate)",
            [device, other])
        try db.run(
            """
            INSERT INTO assignment(device_id, user_index, person_id)
            SELECT CAST(? AS BIGINT), user_index, person_id FROM assignment WHERE device_id = ?
            ON CONFLICT(device_id, user_index)
            DO UPDATE SET person_id = coalesce(assignment.person_id, excluded.person_id)
            """, [device, other])
        try db.run("DELETE FROM assignment WHERE device_id = ?", [other])
        try moveSenders(of: other, to: device, db)
        // User indexes first: the assignment of all others does not apply to them.
        for row in try db.rows(
            "SELECT user_index, person_id FROM assignment WHERE device_id = ? ORDER BY user_index DESC", [device])
        {
            let user: Int = row["user_index"]
            guard let person: Int64 = row["person_id"] else { continue }
            _ = try applyAssignment(
                of: device, user: user == anyUser ? nil : user, to: person, among: .unassignedOr([]), db)
        }
    }

    private static func moveAttributes(of other: Int64, to device: Int64, _ db: any StoreConnection) throws {
        let columns = ["serial", "system_id", "address", "identifier", "model", "name", "alias"]
        let values = columns.map { column in
            "\(column) = coalesce(\(column), (SELECT \(column) FROM device AS other WHERE other.id = ?1))"
        }
        try db.run(
            "UPDATE device SET \(values.joined(separator: ", ")), relatives = 1 WHERE id = ?2", [other, device])
        try db.run("UPDATE device SET merged_into = ? WHERE id = ? OR merged_into = ?", [device, other, other])
        // The name may be that of a person, and is erased with the device's.
        try db.run("UPDATE device SET name = NULL, alias = NULL WHERE id = ?", [other])
    }

    /// Returns the readings of a device that another one also has, each with the reading of the other one.
    private static func copies(
        in other: Int64, of device: Int64, _ db: any StoreConnection
    ) throws -> [(copy: Int64, original: Int64)] {
        func forEachReading(_ device: Int64, _ body: (String, Int64) -> Void) throws {
            try db.forEachRow(
                """
                SELECT id, kind, user_index, device_time, clock_offset, sequence, taken, arrived, characteristic, raw,
                fields FROM reading
                WHERE device_id = ? AND id NOT IN (SELECT reading_id FROM duplicate) ORDER BY id
                """, [device]
            ) { row in
                let raw: Data? = row["raw"]
                var time: String? = row["device_time"]
                // A clock that was never set shows the same time again.
                if !ReadingTime.isClockUsed(row) || HealthMeasurement(row)?.isClockUnset == true { time = nil }
                // Without a time, equal octets may be two readings.
                guard time != nil || raw == nil else { return }
                let taken: Int64 = row["taken"]
                let parts = [
                    String(row["kind"] as Int64), String(row["user_index"] as Int64? ?? -1),
                    String(row["sequence"] as Int64? ?? -1), time ?? "taken \(taken)",
                    raw?.hexText() ?? "", row["fields"] as String? ?? "",
                ]
                body(parts.joined(separator: "|"), row["id"])
            }
        }
        var originals: [String: Int64] = [:]
        try forEachReading(device) { originals[$0] = $1 }
        var copies: [(Int64, Int64)] = []
        try forEachReading(other) { text, id in
            if let original = originals[text] { copies.append((id, original)) }
        }
        return copies
    }

    /// Returns the key of the reading of which this is a copy; nil if it is none.
    static func original(ofCopy id: Int64, _ db: any StoreConnection) throws -> Data? {
        try db.value(
            "SELECT key FROM reading WHERE id = (SELECT original_id FROM duplicate WHERE reading_id = ?)", [id])
    }

    /// Gives the copies of a person's readings to the person, with whom they are deleted.
    /// - Returns: their number.
    static func claimDuplicates(of person: Int64, _ db: any StoreConnection) throws -> Int {
        let copies: [Int64] = try db.values(
            """
            SELECT reading_id FROM duplicate JOIN reading ON reading.id = original_id WHERE reading.person_id = ?
            """, [person])
        for copy in copies {
            try db.run("UPDATE reading SET person_id = ? WHERE id = ?", [person, copy])
            try db.run("DELETE FROM duplicate WHERE reading_id = ?", [copy])
        }
        return copies.count
    }
}
