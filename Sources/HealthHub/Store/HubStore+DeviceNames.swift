import Foundation
import GRDB

extension SubmittedReading.Device {
    /// The beginning of the identifier that the subject of an Observation without a device gives to its device, and of
    /// one that only its sender knows.
    static let subjectPrefix = "fhir:"

    /// The subject of the Observations of the device; nil if it has an identifier of its own.
    fileprivate var subject: String? { id.flatMap { $0.hasPrefix(Self.subjectPrefix) ? $0 : nil } }

    /// The digest of the text that identifies a device and may be the name of a person: the subject of an Observation,
    /// or the name of a device without another attribute. nil for any other device.
    var nameDigest: Data? {
        if let subject { return HubStore.sha256("subject \(subject)") }
        guard serial == nil, systemID == nil, address == nil, id == nil, let name else { return nil }
        return HubStore.sha256("name \(name)")
    }
}

/// Texts of devices that often contain the name of their owner. `device.digest` is the digest of an erased text, by
/// which the device, and thus a deleted reading of it, is recognised.
extension HubStore {
    /// Erases the names and the subject of a device without readings and assignments. Of a device that other people
    /// use, only texts that contain the name of the person are erased.
    static func forgetNames(of device: Int64, ofPerson person: String? = nil, _ db: any StoreConnection) throws {
        let isUsed = try db.isTrue(
            """
            SELECT EXISTS(SELECT 1 FROM reading WHERE device_id = ?)
            OR EXISTS(SELECT 1 FROM assignment WHERE device_id = ? AND person_id IS NOT NULL)
            """, [device, device])
        if isUsed, person == nil { return }
        func kept(_ text: String?) -> String? {
            guard isUsed, let text, let person, !contains(text, person) else { return nil }
            return text
        }
        for row in try db.rows("SELECT * FROM device WHERE id = ? OR merged_into = ?", [device, device]) {
            let attributes = StoredDeviceRow(row).device
            let formerAlias: String? = row["alias"]
            // A device that is used is found by its alias until its first reading.
            let alias = isUsed ? formerAlias : nil
            let name = kept(attributes.name)
            let identifier = attributes.subject == nil ? attributes.id : kept(attributes.subject)
            guard name != attributes.name || identifier != attributes.id || alias != formerAlias else { continue }
            try db.run(
                "UPDATE device SET name = ?, alias = ?, identifier = ?, digest = coalesce(?, digest) WHERE id = ?",
                [name, alias, identifier, attributes.nameDigest, row["id"] as Int64])
        }
    }

    /// Returns true if a text contains the name of a person, or a part of it such as the first name.
    private static func contains(_ text: String, _ name: String) -> Bool {
        let parts = name.split { !$0.isLetter }.filter { $0.count > 2 }.map(String.init)
        return ([name] + parts).contains {
            text.range(of: $0, options: [.caseInsensitive, .diacriticInsensitive]) != nil
        }
    }

    /// Returns the device whose erased name or subject is that of a device; nil if there is none.
    static func deviceWithErasedName(_ device: SubmittedReading.Device, _ db: any StoreConnection) throws -> Int64? {
        guard let digest = device.nameDigest else { return nil }
        return try db.value(
            "SELECT coalesce(merged_into, id) FROM device WHERE digest = ? ORDER BY id LIMIT 1", [digest])
    }
}
