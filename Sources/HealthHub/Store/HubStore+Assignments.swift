import Foundation
import GRDB

/// The assignments of devices, and of their user indexes, to people.
extension HubStore {
    /// Assigns a device, or one of its user indexes, to a person. Its readings that belong to nobody, or by the present
    /// assignment to somebody, are reassigned to that person. Those that an Observation gives to another person stay.
    /// - Parameter text: the serial number, System ID, identifier, address or name of the device. A device that has
    ///   sent no reading yet is remembered by this text.
    /// - Returns: the number of readings that now belong to the person.
    /// - Throws: ``HubProblem`` for an unknown person, a text that names several devices, or a user index that no
    ///   device sends: 255 means an unknown user (Blood Pressure Service 1.1.1, 3.1.1.6).
    package func assign(
        _ text: String, to person: Int64, user: Int? = nil, by who: String = HubStore.commandLine
    ) throws -> Int {
        try Self.check(device: text, user: user)
        return try database.write(.administration) { db in
            try Self.knownPerson(person, db)
            let device = try Self.device(named: text, db)
            let former = try Self.owner(of: device, user: user, db)
            try db.run(
                """
                INSERT INTO assignment(device_id, user_index, person_id) VALUES (?, ?, ?)
                ON CONFLICT(device_id, user_index) DO UPDATE SET person_id = excluded.person_id
                """, [device, user ?? Self.anyUser, person])
            try Self.audit(who, Self.auditText(device: device, person: person, user: user), db)
            return try Self.applyAssignment(
                of: device, user: user, to: person, among: .unassignedOr([former, person].compactMap { $0 }), db)
        }
    }

    package struct EndedAssignment: Sendable, Equatable {
        /// The person to whom the device, or the user index, was assigned.
        package var person: Int64
        /// The number of readings that now belong to nobody.
        package var readings: Int
    }

    /// Ends the assignment of a device, or of one of its user indexes. Its readings that belonged to the person then
    /// belong to nobody. Later readings of the user index do too, also if the whole device is assigned.
    /// - Parameter text: the device, as for ``assign(_:to:user:by:)``.
    /// - Throws: ``HubProblem`` for a text that names no device or several, and for what is not assigned.
    package func unassign(
        _ text: String, user: Int? = nil, by who: String = HubStore.commandLine
    ) throws -> EndedAssignment {
        try Self.check(device: text, user: user)
        return try database.write(.administration) { db in
            guard let device = try Self.knownDevice(named: text, db).id else {
                throw HubProblem(.notFound, "there is no device '\(text)'; 'harald hub devices' lists the devices")
            }
            let former: Int64? = try db.value(
                "SELECT person_id FROM assignment WHERE device_id = ? AND user_index = ?",
                [device, user ?? Self.anyUser])
            guard let former else { throw try Self.unassignedProblem(text, device, user: user, db) }
            try db.run(
                user == nil
                    ? "DELETE FROM assignment WHERE device_id = ? AND user_index = ?"
                    : "UPDATE assignment SET person_id = NULL WHERE device_id = ? AND user_index = ?",
                [device, user ?? Self.anyUser])
            let entry = Self.auditText("unassign", device: device, person: former, user: user)
            try Self.audit(who, entry, db)
            let count = try Self.applyAssignment(of: device, user: user, to: nil, among: .of(former), db)
            return EndedAssignment(person: former, readings: count)
        }
    }

    /// Returns the problem of a device, or of one of its user indexes, that has no assignment to end.
    private static func unassignedProblem(
        _ text: String, _ device: Int64, user: Int?, _ db: any StoreConnection
    ) throws -> HubProblem {
        if let user {
            let isOwn = try db.isTrue(
                "SELECT EXISTS(SELECT 1 FROM assignment WHERE device_id = ? AND user_index = ?)", [device, user])
            if isOwn { return HubProblem(.notFound, "user \(user) of '\(text)' belongs to nobody already") }
            let person = try owner(of: device, user: user, db)
            let reason = person.map { "; the assignment of the device to person \($0) applies to it" } ?? ""
            return HubProblem(.notFound, "user \(user) of '\(text)' has no assignment of its own\(reason)")
        }
        let users: [Int] = try db.values(
            "SELECT user_index FROM assignment WHERE device_id = ? AND person_id IS NOT NULL ORDER BY user_index",
            [device])
        guard !users.isEmpty else { return HubProblem(.notFound, "'\(text)' is not assigned") }
        let list = users.map { "--user \($0)" }.joined(separator: ", ")
        return HubProblem(.notFound, "'\(text)' is assigned only by user index: \(list)")
    }

    private static func check(device text: String, user: Int?) throws {
        guard !text.isEmpty else {
            throw HubProblem(.invalid, "the device is empty; expected a serial number, an address or a name")
        }
        if let user, !(0...254).contains(user) {
            throw HubProblem(.invalid, "the user index must be 0 to 254, but is \(user); 255 means an unknown user")
        }
    }

    /// The readings of a device that a change of its assignment moves.
    enum MovedReadings {
        /// The readings without a person, and those of these people.
        case unassignedOr([Int64])
        case of(Int64)
    }

    /// Gives the stored readings of a device, or of one of its user indexes, to the person to whom it is assigned.
    /// - Parameter person: the person; nil if the assignment has ended.
    /// - Returns: the number of readings.
    static func applyAssignment(
        of device: Int64, user: Int?, to person: Int64?, among moved: MovedReadings, _ db: any StoreConnection
    ) throws -> Int {
        var (condition, arguments): (String, StoreArguments) = ("device_id = ? AND user_index = ?", [device, user])
        if user == nil {
            // User indexes with an assignment of their own stay with their person, or with nobody.
            condition = """
                device_id = ? AND (coalesce(user_index, -1) = -1 OR user_index NOT IN
                (SELECT user_index FROM assignment WHERE device_id = ?))
                """
            arguments = [device, device]
        }
        if let person { try grantAccess(to: person, where: condition, arguments, db) }
        let ofDevice = (condition: condition, arguments: arguments)
        switch moved {
        case .unassignedOr(let people):
            let others = String(repeating: " OR person_id = ?", count: people.count)
            condition += " AND (person_id IS NULL\(others))"
            arguments = arguments + StoreArguments(people)
        case .of(let former):
            condition += " AND person_id = ?"
            arguments = arguments + [former]
        }
        try reassign(where: condition, arguments, to: person, db)
        let former: [Int64] = try db.values(
            "SELECT DISTINCT person_id FROM reading WHERE person_id IS NOT NULL AND (\(condition))", arguments)
        let count = try db.run("UPDATE reading SET person_id = ? WHERE \(condition)", [person] + arguments)
        for former in former where former != person {
            try removeLostAccess(to: former, db)
            try compareWaiting(of: former, db)
        }
        if let person {
            try holdImplausible(of: person, where: ofDevice.condition, ofDevice.arguments, db)
            try compareWaiting(of: person, db)
        }
        return count
    }

    /// The entry in the table of assignments for all user indexes without an assignment of their own.
    static let anyUser = -1

    /// Returns the person to whom a device's user index is assigned; nil for nobody.
    static func owner(of device: Int64, user: Int?, _ db: any StoreConnection) throws -> Int64? {
        try db.value(
            """
            SELECT person_id FROM assignment WHERE device_id = ? AND user_index IN (?, -1)
            ORDER BY user_index DESC LIMIT 1
            """, [device, user ?? anyUser])
    }
}
