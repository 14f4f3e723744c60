import Foundation

/// The devices and people to which a token or an account is bound. One without a scope is bound to none in particular.
package struct AccessScope: Sendable, Hashable, Codable {
    /// The people whose data the holder may read, and whose readings it may send.
    package var people: Set<Int64>
    /// The devices whose readings it may send, whoever has them.
    package var devices: Set<Int64>

    package init(people: Set<Int64>, devices: Set<Int64> = []) { (self.people, self.devices) = (people, devices) }

    /// Parses the form of the store.
    /// - Throws: ``HubProblem`` for the form of a later version: a binding that is not understood must not be ignored.
    package init(_ text: String) throws {
        guard let scope = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            throw HubProblem(
                .unavailable, "the scope '\(text)' is damaged, or from a later version; update this program")
        }
        self = scope
    }

    /// The form of the store.
    package var text: String {
        let lists = [("devices", devices), ("people", people)].map { name, ids in
            "\"\(name)\":[\(ids.sorted().map(String.init).joined(separator: ","))]"
        }
        return "{\(lists.joined(separator: ","))}"
    }

    var line: String {
        let lists = [("person", people), ("device", devices)].filter { !$0.1.isEmpty }
        return lists.map { name, ids in "\(name) " + ids.sorted().map(String.init).joined(separator: ", ") }
            .joined(separator: "; ")
    }

    /// Returns true if the holder may send a reading that belongs to a person; nil for nobody.
    func maySend(of person: Int64?, device: Int64) -> Bool {
        devices.contains(device) || person.map(people.contains) ?? !people.isEmpty
    }
}

extension HubStore {
    /// Returns the scope of these people and devices; nil for none.
    /// - Parameter devices: texts as for ``assign(_:to:user:by:)``.
    /// - Throws: ``HubProblem`` for an unknown person or an ambiguous device.
    static func scope(people: [Int64], devices: [String], _ db: any StoreConnection) throws -> AccessScope? {
        guard !people.isEmpty || !devices.isEmpty else { return nil }
        for id in people { try knownPerson(id, db) }
        return AccessScope(people: Set(people), devices: Set(try devices.map { try device(named: $0, db) }))
    }

    /// Returns false if a holder may not send readings of a device, before the device is created.
    static func mayBeSent(
        _ device: SubmittedReading.Device, user: Int?, by scope: AccessScope, _ db: any StoreConnection
    ) throws -> Bool {
        let known = try rootsOfCandidates(device, db)
        // A new device belongs to nobody.
        guard !known.isEmpty else { return !scope.people.isEmpty }
        return try known.contains { scope.maySend(of: try owner(of: $0, user: user, db), device: $0) }
    }

    /// Returns the scope with the devices into which its devices were merged.
    static func merging(_ scope: AccessScope, _ db: any StoreConnection) throws -> AccessScope {
        var merged = scope
        for device in scope.devices {
            let root: Int64? = try db.value("SELECT merged_into FROM device WHERE id = ?", [device])
            if let root { merged.devices.insert(root) }
        }
        return merged
    }
}
