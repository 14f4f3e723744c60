#if Programs
import Foundation
import GRDB

/// A device with stored readings, or one that was assigned in advance.
package struct StoredDevice: Sendable, Equatable, Encodable {
    /// The identifier in the store.
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
    /// The identifier that a gateway uses for it.
    package var identifier: String?
    /// The time of the last contact.
    package var lastContact: Date?
}

extension HubStore {
    /// Returns all devices in the order of their identifiers.
    /// - Throws: `DatabaseError`.
    package func devices() throws -> [StoredDevice] {
        try database.read { db in
            try db.rows("SELECT * FROM device ORDER BY id").map { row in
                StoredDevice(
                    id: row["id"], serial: row["serial"], systemID: row["system_id"], address: row["address"],
                    model: row["model"], name: row["name"] ?? row["alias"], identifier: row["identifier"],
                    lastContact: (row["last_contact"] as Int64?).map { Date(timeIntervalSince1970: Double($0)) })
            }
        }
    }

    /// Returns the device with these attributes; creates it if there is none. The first known attribute decides: serial
    /// number, System ID, address, identifier. Unknown attributes of the stored device are completed.
    /// - Parameter device: attributes normalised for comparison (``SubmittedReading/Device/trim()``).
    /// - Throws: ``ReadingProblem`` if nothing identifies the device.
    static func device(of device: SubmittedReading.Device, _ db: any StoreConnection) throws -> Int64 {
        if let id = try known(device, db) { return id }
        if let lock = db.dialect.deviceLock {
            try db.run(lock, [])
            // Another transaction may have added the device since the lookup.
            if let id = try known(device, db) { return id }
        }
        return try db.insert(
            """
            INSERT INTO device(serial, system_id, address, identifier, model, name, last_contact)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [device.serial, device.systemID, device.address, device.id, device.model, device.name, now])
    }

    private static func known(_ device: SubmittedReading.Device, _ db: any StoreConnection) throws -> Int64? {
        var device = device
        let attributes = [
            ("serial", device.serial), ("system_id", device.systemID), ("address", device.address),
            ("identifier", device.id),
        ]
        guard attributes.contains(where: { $0.1 != nil }) || device.name != nil else {
            throw ReadingProblem("device requires serial, systemID, address, id or name")
        }
        for (column, value) in attributes {
            guard let value else { continue }
            // A row with another serial number is another device, even if it once had the same address.
            let sql =
                "SELECT id FROM device WHERE \(column) = ? AND (serial IS NULL OR serial = coalesce(?, serial)) LIMIT 1"
            if let id = try db.value(sql, [value, device.serial]) as Int64? {
                return try complete(id, device, db)
            }
        }
        // A gateway's identifier may be another gateway's serial number, as in a FHIR identifier without a type.
        if let text = device.id, device.serial == nil, device.systemID == nil, device.address == nil {
            let ids =
                try
                (db.values(
                    "SELECT id FROM device WHERE serial = ?1 OR system_id = ?2 OR address = ?2 LIMIT 2",
                    [text, text.uppercased()]) as [Int64])
            if ids.count == 1 {
                device.id = nil
                return try complete(ids[0], device, db)
            }
        }
        let names = [device.serial, device.systemID, device.address, device.id, device.name].compactMap { $0 }
        let marks = names.map { _ in "?" }.joined(separator: ",")
        if let id = try
            (db.value("SELECT id FROM device WHERE alias IN (\(marks)) ORDER BY id LIMIT 1", StoreArguments(names))
            as Int64?)
        {
            return try complete(id, device, db)
        }
        if attributes.allSatisfy({ $0.1 == nil }),
            let id = try
                (db.value(
                    """
                    SELECT id FROM device WHERE name = ? AND serial IS NULL AND system_id IS NULL AND address IS NULL
                    AND identifier IS NULL LIMIT 1
                    """, [device.name]) as Int64?)
        {
            return try complete(id, device, db)
        }
        return nil
    }

    private static func complete(_ id: Int64, _ device: SubmittedReading.Device, _ db: any StoreConnection) throws
        -> Int64
    {
        try db.run(
            """
            UPDATE device SET serial = coalesce(serial, ?), system_id = coalesce(system_id, ?),
            address = coalesce(?, address), identifier = coalesce(?, identifier), model = coalesce(?, model),
            name = coalesce(?, name), alias = NULL, last_contact = ? WHERE id = ?
            """,
            [
                device.serial, device.systemID, device.address, device.id, device.model, device.name, now, id,
            ])
        return id
    }

    /// Returns the device that the user names; creates it if there is none.
    static func device(named text: String, _ db: any StoreConnection) throws -> Int64 {
        for column in ["serial", "system_id", "address", "identifier", "alias", "name"] {
            let found = try (db.values("SELECT id FROM device WHERE lower(\(column)) = lower(?)", [text]) as [Int64])
            if found.count > 1 {
                throw HubProblem(.conflict, "\(found.count) devices are named '\(text)'; use the serial number")
            }
            if let id = found.first { return id }
        }
        return try db.insert("INSERT INTO device(alias) VALUES (?)", [text])
    }
}

extension SubmittedReading.Device {
    /// Normalises the attributes: empty ones become nil, hexadecimal numbers and addresses become upper case.
    mutating func trim() {
        func known(_ text: String?) -> String? {
            guard let text, !text.isEmpty else { return nil }
            // Trimming copies the text, and most texts have nothing to trim.
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
