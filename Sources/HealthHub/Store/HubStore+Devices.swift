import Foundation
import GRDB

/// A device with stored readings, or one that was assigned in advance.
package struct StoredDevice: Sendable, Equatable, Encodable {
    /// The identifier in the store.
    package var id: Int64
    package var serial, systemID: String?
    package var address: String?
    package var model, name: String?
    /// The identifier that a gateway uses for it.
    package var identifier: String?
    package var lastContact: Date?
    /// The people to whom the device is assigned; nil if they were not read.
    package var assignments: [DeviceAssignment]?
}

/// The assignment of a device, or of one of its user indexes, to a person.
package struct DeviceAssignment: Sendable, Equatable, Encodable {
    /// The user index; nil for all that have no assignment of their own.
    package var user: Int?
    /// The identifier of the person; nil for a user index that belongs to nobody.
    package var person: String?

    private enum Key: String, CodingKey { case user, person }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(user, forKey: .user)
        try container.encode(person, forKey: .person)
    }
}

extension HubStore {
    /// Returns all devices in the order of their identifiers, with their assignments.
    package func devices() throws -> [StoredDevice] {
        try database.read { db in
            var assignments: [Int64: [DeviceAssignment]] = [:]
            for row in try db.rows(
                "SELECT device_id, user_index, person_id FROM assignment ORDER BY device_id, user_index")
            {
                let (device, user): (Int64, Int) = (row["device_id"], row["user_index"])
                assignments[device, default: []].append(
                    DeviceAssignment(
                        user: user == Self.anyUser ? nil : user,
                        person: (row["person_id"] as Int64?).map { String($0) }))
            }
            return try db.rows("SELECT * FROM device WHERE merged_into IS NULL ORDER BY id").map { row in
                let id: Int64 = row["id"]
                return StoredDevice(
                    id: id, serial: row["serial"], systemID: row["system_id"], address: row["address"],
                    model: row["model"], name: row["name"] ?? row["alias"], identifier: row["identifier"],
                    lastContact: (row["last_contact"] as Int64?).map { Date(seconds: $0) },
                    assignments: assignments[id] ?? [])
            }
        }
    }

    /// Returns the device that the user names; creates it if there is none. `id:7` is the device with the identifier 7.
    static func device(named text: String, _ db: any StoreConnection) throws -> Int64 {
        let (id, text) = try knownDevice(named: text, db)
        return try id ?? db.insert("INSERT INTO device(alias, seed) VALUES (?, ?)", [text, newSeed])
    }

    /// Returns the device that the user names, nil if there is none, and the name without blanks around it.
    static func knownDevice(named text: String, _ db: any StoreConnection) throws -> (id: Int64?, name: String) {
        let root = "SELECT DISTINCT coalesce(merged_into, id) AS root FROM device WHERE"
        if let id = text.wholeMatch(of: /id:([0-9]{1,18})/).flatMap({ Int64($0.1) }) {
            guard let device = try db.value("\(root) id = ?", [id]) as Int64? else {
                throw HubProblem(.notFound, "there is no device \(id); 'harald hub devices' lists the devices")
            }
            return (device, text)
        }
        var names = SubmittedReading.Device(serial: text, systemID: text, address: text)
        names.trim()
        guard let text = names.serial else { throw HubProblem(.invalid, "the name of the device is blank") }
        let escaped = text.replacing(/[%_\\]/) { "\\" + $0.output }
        for (condition, name) in [
            ("serial) = lower(?)", text), ("system_id) = lower(?)", names.systemID),
            ("address) = lower(?)", names.address), ("identifier) = lower(?)", text), ("alias) = lower(?)", text),
            ("name) = lower(?)", text),
            // The value of an identifier that has a system, or the logical id in a reference (``valuesOfID``).
            ("identifier) LIKE lower(?) ESCAPE '\\'", "%|" + escaped),
            ("identifier) LIKE lower(?) ESCAPE '\\'", "%|Device/" + escaped),
        ] {
            guard let name else { continue }
            let found = try (db.values("\(root) lower(\(condition)", [name]) as [Int64])
            if found.count > 1 {
                throw HubProblem(
                    .conflict,
                    "\(found.count) devices are named '\(text)': "
                        + found.sorted().map { "id:\($0)" }.joined(separator: ", ")
                        + "; use one of these, or the address")
            }
            if let id = found.first { return (id, text) }
        }
        return (nil, text)
    }
}

extension SubmittedReading.Device {
    /// Normalises the attributes: control characters are removed, because SQLite ends text at U+0000, empty attributes
    /// and placeholders become nil, and System IDs and addresses get one form.
    mutating func trim() {
        func known(_ text: String?) -> String? {
            guard let text, !text.isEmpty else { return nil }
            // Trimming copies the text, and most texts have nothing to trim.
            if text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return text }
            var scalars = text.unicodeScalars
            scalars.removeAll { $0.properties.generalCategory == .control }
            let trimmed = String(scalars).trimmingCharacters(in: .whitespacesAndNewlines)
            return trimmed.isEmpty ? nil : trimmed
        }
        (id, serial, model, name) = (known(id), known(serial), known(model), known(name))
        systemID = known(systemID).map(Self.systemID).flatMap { Self.isPlaceholder($0) ? nil : $0 }
        address = known(address).map(Self.address).flatMap { Self.isPlaceholder($0) ? nil : $0 }
    }

    /// The texts by which people know a FHIR device whose identity is `SYSTEM|VALUE` or ends with `|Device/ID`.
    var valuesOfID: [String] {
        guard let id, let bar = id.lastIndex(of: "|") else { return [] }
        let value = String(id[id.index(after: bar)...])
        return value.hasPrefix("Device/") ? [value, String(value.dropFirst(7))] : [value]
    }

    /// Returns true for a System ID or an address of only zeros or only ones, which many devices have in common.
    private static func isPlaceholder(_ text: String) -> Bool {
        // Separators of an address are colons.
        (["0", "F"] as [Character]).contains { digit in text.allSatisfy { $0 == digit || $0 == ":" } }
    }

    /// Normalises a System ID: hexadecimal digits in upper case, without `0x` and separators.
    static func systemID(_ text: String) -> String {
        // Most System IDs are already in this form.
        if text.utf8.allSatisfy({ isDigit($0) || (0x41...0x46).contains($0) }) { return text }
        var digits = text.uppercased()
        if digits.hasPrefix("0X") { digits.removeFirst(2) }
        digits.removeAll { " -:.".contains($0) }
        return digits
    }

    /// Normalises a Bluetooth address: octets in upper case, separated by colons.
    static func address(_ text: String) -> String {
        let upper = text.uppercased()
        var digits = upper.filter { !":-. ".contains($0) }
        if digits.utf8.count == 14, digits.hasPrefix("0X") { digits.removeFirst(2) }
        guard digits.utf8.count == 12, let octets = [UInt8](hexDigits: digits) else { return upper }
        return octets.hexText(separator: ":")
    }

    private static func isDigit(_ character: UInt8) -> Bool { (0x30...0x39).contains(character) }
}
