#if Programs
import Foundation
import GRDB

/// A device of which readings came, or that was assigned before.
package struct StoredDevice: Sendable, Equatable, Encodable {
    /// Identifier in the store.
    package var id: Int64
    /// Serial Number String.
    package var serial: String?
    /// System ID.
    package var systemID: String?
    /// Bluetooth device address.
    package var address: String?
    /// Model Number String.
    package var model: String?
    /// Device name.
    package var name: String?
    /// Identifier that a gateway uses for it.
    package var identifier: String?
    /// When a reading came last.
    package var lastContact: Date?
}

extension HubStore {
    /// All devices, in the order of identifiers.
    package func devices() throws -> [StoredDevice] {
        try pool.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM device ORDER BY id").map { row in
                StoredDevice(
                    id: row["id"], serial: row["serial"], systemID: row["system_id"], address: row["address"],
                    model: row["model"], name: row["name"] ?? row["alias"], identifier: row["identifier"],
                    lastContact: (row["last_contact"] as Int64?).map { Date(timeIntervalSince1970: Double($0)) })
            }
        }
    }

    /// The device with those attributes, which is made where there is none. The first attribute that is known decides: serial number, System ID, address, identifier.
    /// What was not known of the device is filled in.
    /// - Parameter device: attributes in the form in which they are compared (``SubmittedReading/Device/trim()``).
    /// - Throws: ``ReadingProblem`` where nothing identifies the device.
    static func device(of device: SubmittedReading.Device, _ db: Database) throws -> Int64 {
        var device = device
        let attributes = [
            ("serial", device.serial), ("system_id", device.systemID), ("address", device.address),
            ("identifier", device.id),
        ]
        guard attributes.contains(where: { $0.1 != nil }) || device.name != nil else {
            throw ReadingProblem("device needs serial, systemID, address, id or name")
        }
        for (column, value) in attributes {
            guard let value else { continue }
            // A row with another serial number is another device, even where it had the same address once.
            let sql =
                "SELECT id FROM device WHERE \(column) = ? AND (serial IS NULL OR ? IS NULL OR serial = ?) LIMIT 1"
            if let id = try Int64.fetchOne(
                db.cachedStatement(sql: sql), arguments: [value, device.serial, device.serial])
            {
                return try complete(id, device, db)
            }
        }
        // A gateway's identifier may be what another one knows as serial number: a FHIR identifier without a type.
        if let text = device.id, device.serial == nil, device.systemID == nil, device.address == nil {
            let ids = try Int64.fetchAll(
                db.cachedStatement(
                    sql: "SELECT id FROM device WHERE serial = :text OR system_id = :upper OR address = :upper LIMIT 2"),
                arguments: ["text": text, "upper": text.uppercased()])
            if ids.count == 1 {
                device.id = nil
                return try complete(ids[0], device, db)
            }
        }
        let names = [device.serial, device.systemID, device.address, device.id, device.name].compactMap { $0 }
        let marks = names.map { _ in "?" }.joined(separator: ",")
        if let id = try Int64.fetchOne(
            db, sql: "SELECT id FROM device WHERE alias IN (\(marks)) ORDER BY id LIMIT 1",
            arguments: StatementArguments(names))
        {
            return try complete(id, device, db)
        }
        if attributes.allSatisfy({ $0.1 == nil }),
            let id = try Int64.fetchOne(
                db,
                sql: """
                    SELECT id FROM device WHERE name = ? AND serial IS NULL AND system_id IS NULL AND address IS NULL
                    AND identifier IS NULL LIMIT 1
                    """, arguments: [device.name])
        {
            return try complete(id, device, db)
        }
        try db.execute(
            sql: """
                INSERT INTO device(serial, system_id, address, identifier, model, name, last_contact)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                device.serial, device.systemID, device.address, device.id, device.model, device.name, now,
            ])
        return db.lastInsertedRowID
    }

    private static func complete(_ id: Int64, _ device: SubmittedReading.Device, _ db: Database) throws -> Int64 {
        try db.cachedStatement(
            sql: """
                UPDATE device SET serial = coalesce(serial, ?), system_id = coalesce(system_id, ?),
                address = coalesce(?, address), identifier = coalesce(?, identifier), model = coalesce(?, model),
                name = coalesce(?, name), alias = NULL, last_contact = ? WHERE id = ?
                """
        ).execute(
            arguments: [
                device.serial, device.systemID, device.address, device.id, device.model, device.name, now, id,
            ])
        return id
    }

    /// The device that a person names; made where nothing has that name yet.
    static func device(named text: String, _ db: Database) throws -> Int64 {
        for column in ["serial", "system_id", "address", "identifier", "alias", "name"] {
            let found = try Int64.fetchAll(
                db, sql: "SELECT id FROM device WHERE \(column) = ? COLLATE NOCASE", arguments: [text])
            if found.count > 1 {
                throw HubProblem(.conflict, "\(found.count) devices are called '\(text)'; name the serial number")
            }
            if let id = found.first { return id }
        }
        try db.execute(sql: "INSERT INTO device(alias) VALUES (?)", arguments: [text])
        return db.lastInsertedRowID
    }
}

extension SubmittedReading.Device {
    /// Empty attributes are not known; hexadecimal numbers and addresses are compared in upper case.
    mutating func trim() {
        func known(_ text: String?) -> String? {
            guard let text, !text.isEmpty else { return nil }
            // Most are short and plain, and trimming copies them.
            if text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return text }
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return trimmed.isEmpty ? nil : String(trimmed.prefix(256))
        }
        (id, serial, model, name) = (known(id), known(serial), known(model), known(name))
        systemID = known(systemID)?.uppercased().replacingOccurrences(of: " ", with: "")
        address = known(address)?.uppercased()
    }
}
#endif
