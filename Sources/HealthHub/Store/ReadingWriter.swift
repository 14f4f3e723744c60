#if Programs
import Foundation
import GRDB

/// A reading after the transaction.
enum WrittenReading: Sendable {
    case refused(ReadingProblem)
    /// The reading was known; its person was deleted.
    case forgotten
    /// The reading is in the store.
    /// - person: the person to whom it belongs.
    case kept(id: Int64, isNew: Bool, person: Person?, PreparedReading.Record)
}

/// Writes readings in one transaction. Data that the transaction does not change is looked up once.
struct ReadingWriter {
    private struct DeviceUser: Hashable {
        let device: Int64
        let user: Int?
    }

    private struct GatewayPerson: Hashable { let gateway, person: Int64 }

    private static let insertionText = """
        INSERT INTO reading(key, person_id, device_id, gateway_id, \(PreparedReading.Record.columnNames))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO NOTHING
        """

    private let db: Database
    private var insertion: Statement?
    private var gateways: [String: Int64] = [:]
    private var devices: [SubmittedReading.Device: Int64] = [:]
    private var owners: [DeviceUser: Int64?] = [:]
    private var people: [Int64: Person] = [:]
    private var noted: Set<GatewayPerson> = []
    private var knownReceivers: [Receiver]?
    private var knowsForgotten: Bool?

    /// Creates a writer for one transaction.
    init(_ db: Database) { self.db = db }

    /// Writes the readings of a batch. A refused reading does not affect the others.
    mutating func write(_ batch: PreparedBatch) throws -> [WrittenReading] {
        try batch.readings.map { reading in
            switch reading {
            case .failure(let problem):
                // Records the contact of the gateway even if all its readings are refused.
                _ = try gateway(batch.gateway, batch.arrived)
                return .refused(problem)
            case .success(let reading):
                do {
                    return try write(reading, of: batch)
                } catch let problem as ReadingProblem {
                    return .refused(problem)
                }
            }
        }
    }

    private mutating func write(_ prepared: PreparedReading, of batch: PreparedBatch) throws -> WrittenReading {
        let gateway = try gateway(
            prepared.reading.gateway.map { String($0.prefix(200)) } ?? batch.gateway, batch.arrived)
        // Everything is checked before the device is created, so that a refused reading does not create a device.
        if let person = prepared.reading.person, try self.person(person) == nil {
            throw ReadingProblem("there is no person \(person)")
        }
        let device = try device(prepared.device)
        var result: WrittenReading?
        for record in prepared.records {
            let written = try insert(record, of: prepared.reading.person, device: device, gateway: gateway)
            if case .kept(_, _, let person?, _) = written { try note(gateway, sentReadingsOf: person.id) }
            // A value with several records counts as stored if one of them is new.
            if result == nil || (result?.isNew == false && written.isNew) { result = written }
        }
        return result ?? .refused(ReadingProblem("the value has no record"))
    }

    /// - Parameter named: the person whom the gateway named; nil for the owner of the device.
    private mutating func insert(
        _ record: PreparedReading.Record, of named: Int64?, device: Int64, gateway: Int64
    ) throws -> WrittenReading {
        let key = record.identity.key(device: device)
        if try isForgotten(key) { return .forgotten }
        let owner = try named ?? owner(of: DeviceUser(device: device, user: record.measurement.userIndex))
        var arguments: StatementArguments = [key, owner, device, gateway]
        arguments += record.columns
        let statement = try insertion ?? db.cachedStatement(sql: Self.insertionText)
        insertion = statement
        try statement.execute(arguments: arguments)
        guard db.changesCount > 0 else { return try known(key, record) }
        let id = db.lastInsertedRowID
        if let owner { try HubStore.forward(id, of: owner, to: receivers(), db) }
        return .kept(id: id, isNew: true, person: try person(owner), record)
    }

    private mutating func known(_ key: Data, _ record: PreparedReading.Record) throws -> WrittenReading {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT id, person_id FROM reading WHERE key = ?"), arguments: [key])
        guard let row else { throw HubProblem(.unavailable, "the store refused a reading that it does not contain") }
        return .kept(id: row["id"], isNew: false, person: try person(row["person_id"]), record)
    }

    // MARK: Cached lookups

    private mutating func gateway(_ name: String, _ arrived: Date) throws -> Int64 {
        if let id = gateways[name] { return id }
        let id = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    INSERT INTO gateway(name, last_contact) VALUES (?, ?)
                    ON CONFLICT(name) DO UPDATE SET last_contact = excluded.last_contact RETURNING id
                    """), arguments: [name, Int64(arrived.timeIntervalSince1970)])
        guard let id else { throw HubProblem(.unavailable, "the store did not assign an identifier to a gateway") }
        gateways[name] = id
        return id
    }

    private mutating func device(_ device: SubmittedReading.Device) throws -> Int64 {
        if let id = devices[device] { return id }
        let id = try HubStore.device(of: device, db)
        // The device of other attributes may change with the next reading.
        if device.serial != nil { devices[device] = id }
        return id
    }

    private mutating func owner(of key: DeviceUser) throws -> Int64? {
        if let owner = owners[key] { return owner }
        let owner = try HubStore.owner(of: key.device, user: key.user, db)
        owners[key] = .some(owner)
        return owner
    }

    private mutating func person(_ id: Int64?) throws -> Person? {
        guard let id else { return nil }
        if let person = people[id] { return person }
        let person = try HubStore.person(id, db)
        people[id] = person
        return person
    }

    private mutating func receivers() throws -> [Receiver] {
        if let knownReceivers { return knownReceivers }
        let receivers = try HubStore.receivers(db)
        knownReceivers = receivers
        return receivers
    }

    private mutating func isForgotten(_ key: Data) throws -> Bool {
        let knows =
            try knowsForgotten ?? Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS(SELECT 1 FROM forgotten)")) ?? false
        knowsForgotten = knows
        guard knows else { return false }
        return try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM forgotten WHERE key = ?"), arguments: [key]) == true
    }

    /// Records that readings of the person arrived through the gateway, which may then read the person's state.
    private mutating func note(_ gateway: Int64, sentReadingsOf person: Int64) throws {
        guard noted.insert(GatewayPerson(gateway: gateway, person: person)).inserted else { return }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO gateway_person(gateway_id, person_id) VALUES (?, ?)")
            .execute(arguments: [gateway, person])
    }
}

extension WrittenReading {
    fileprivate var isNew: Bool {
        if case .kept(_, true, _, _) = self { return true }
        return false
    }
}
#endif
