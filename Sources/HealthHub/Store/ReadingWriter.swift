#if Programs
import Foundation
import GRDB

/// Writes readings in one transaction. Caches the rows that the transaction does not change.
struct ReadingWriter {
    private struct DeviceUser: Hashable {
        let device: Int64
        let user: Int?
    }

    private struct GatewayPerson: Hashable { let gateway, person: Int64 }

    private struct GatewayDevice: Hashable {
        let gateway: Int64
        let device: DeviceUser
    }

    /// A record with the values of its row.
    private struct Pending {
        let record: PreparedReading.Record
        let key: Data
        let owner: Int64?
        let gateway: Int64
        let device: Int64
        let arguments: StoreArguments
        /// The index of the batch, and of the reading in it.
        let batch, reading: Int
    }

    private let db: any StoreConnection
    private var keys: ReadingKeys
    private var gateways: [String: Int64] = [:]
    private var devices: [SubmittedReading.Device: FoundDevice] = [:]
    private var related: [Int64: [RelatedDevice]] = [:]
    /// True if devices were merged since the beginning of a pass over the batches.
    private var hasMerged = false
    private var owners: [DeviceUser: Int64?] = [:]
    private var people: [Int64: Person] = [:]
    private var noted: Set<GatewayPerson> = []
    private var notedDevices: Set<GatewayDevice> = []
    private var lanes: Set<LaneKey> = []
    /// The devices of the readings.
    private var contacts: Set<Int64> = []
    /// True if messages for receivers were queued.
    private(set) var hasMessages = false
    private var knownReceivers: [Receiver]?

    /// Creates a writer for one transaction.
    init(_ db: any StoreConnection) {
        self.db = db
        keys = ReadingKeys(db)
    }

    /// Writes the readings of batches. A refused reading does not affect the others.
    mutating func write(_ batches: [PreparedBatch]) throws -> [[WrittenReading]] {
        let keysBefore = keys
        var (results, pending) = try resolve(batches)
        // Readings that precede a merger refer to the device that was merged.
        while hasMerged {
            (devices, related, owners, hasMerged) = ([:], [:], [:], false)
            keys = keysBefore
            (results, pending) = try resolve(batches)
        }
        let insert = try db.insertion(db.dialect.readingInsertion)
        for (record, id) in zip(pending, try insert(pending.map(\.arguments))) {
            let kept = try id.map { try stored($0, record) } ?? known(record)
            if let person = kept.person { try note(record.gateway, sentReadingsOf: person.id) }
            if case .kept(let earlier) = results[record.batch][record.reading] {
                results[record.batch][record.reading] = .kept(earlier + [kept])
            } else {
                results[record.batch][record.reading] = .kept([kept])
            }
        }
        try finish()
        return results.map { $0.map { $0 ?? .refused(ReadingProblem("the value has no record")) } }
    }

    /// Returns the results of readings that are not written, and the records of the others.
    private mutating func resolve(_ batches: [PreparedBatch]) throws -> ([[WrittenReading?]], [Pending]) {
        var results: [[WrittenReading?]] = batches.map { Array(repeating: nil, count: $0.readings.count) }
        var pending: [Pending] = []
        keys.removePlanned()
        for (number, batch) in batches.enumerated() {
            for (index, reading) in batch.readings.enumerated() {
                switch reading {
                case .failure(let problem):
                    // Records the contact of the gateway even if all its readings are refused.
                    _ = try gateway(batch.gateway, batch.arrived)
                    results[number][index] = .refused(problem)
                case .success(let reading):
                    do {
                        let records = try resolve(reading, of: batch, number, index)
                        if records.isEmpty { results[number][index] = .forgotten }
                        for record in records {
                            keys.plan(record.key, record.record.measurement, device: record.device)
                        }
                        pending += records
                    } catch let problem as ReadingProblem {
                        results[number][index] = .refused(problem)
                    }
                }
            }
        }
        return (results, pending)
    }

    /// Returns the records of a reading; empty if all of them were deleted with their person.
    private mutating func resolve(
        _ prepared: PreparedReading, of batch: PreparedBatch, _ number: Int, _ index: Int
    ) throws -> [Pending] {
        let gateway = try gateway(
            prepared.reading.gateway.map(Self.shortened) ?? batch.gateway, batch.arrived)
        // Everything is checked before the device is created, so that a refused reading does not create a device.
        let named =
            try prepared.reading.person
            ?? prepared.reading.personIdentity.flatMap { identity in
                try db.value("SELECT id FROM person WHERE identity = ?", [identity]) as Int64?
            }
        if let named, try person(named) == nil { throw ReadingProblem("there is no person \(named)") }
        let device = try device(prepared.device)
        let related = try related(device)
        return try prepared.records.compactMap { record in
            guard let key = try keys.key(of: record, device, related) else {
                // The reading named the device again.
                try HubStore.forgetNames(of: device.id, db)
                return nil
            }
            try db.prepareForReading(at: record.taken)
            let owner = try named ?? owner(of: DeviceUser(device: device.id, user: record.measurement.userIndex))
            return Pending(
                record: record, key: key, owner: owner, gateway: gateway, device: device.id,
                arguments: record.row(key: key, owner: owner, device: device.id, gateway: gateway), batch: number,
                reading: index)
        }
    }

    private mutating func stored(_ id: Int64, _ new: Pending) throws -> KeptRecord {
        try note(new.gateway, sentReadingsOf: DeviceUser(device: new.device, user: new.record.measurement.userIndex))
        // A control solution checks the meter: it is no value of the person.
        if let owner = new.owner, !new.record.measurement.isControlSolution {
            for receiver in try receivers() {
                try HubStore.enqueue(id, owner, receiver.id, isRetraction: false, db)
                lanes.insert(LaneKey(receiver: receiver.id, person: owner))
                hasMessages = true
            }
        }
        return KeptRecord(
            id: id, isNew: true, person: try person(new.owner), measurement: new.record.measurement,
            taken: new.record.taken)
    }

    private mutating func known(_ record: Pending) throws -> KeptRecord {
        let row = try db.row(db.dialect.readingByKey, [record.key])
        guard let row else { throw HubProblem(.unavailable, "the store refused a reading that it does not contain") }
        // The reading may be in the row of a related device.
        let device: Int64? = row["device_id"]
        try note(
            record.gateway,
            sentReadingsOf: DeviceUser(device: device ?? record.device, user: record.record.measurement.userIndex))
        let seconds: Int64? = row["taken"]
        // Octets are part of the identity.
        let sent = record.record.measurement
        return KeptRecord(
            id: row["id"], isNew: false, person: try person(row["person_id"]),
            measurement: sent.isFromFields ? HealthMeasurement(row) ?? sent : sent,
            taken: seconds.map { Date(timeIntervalSince1970: Double($0)) } ?? record.record.taken)
    }

    /// Sets the time of contact of the devices, and adds the lanes of the new messages, sorted: all transactions lock
    /// rows in the same order, which prevents deadlocks.
    private mutating func finish() throws {
        let now = HubStore.now
        for device in contacts.sorted() {
            try db.run(
                "UPDATE device SET last_contact = ? WHERE id = ? AND (last_contact < ? OR last_contact IS NULL)",
                [now, device, now])
        }
        for lane in lanes.sorted() { try db.run(db.dialect.laneInsertion, [lane.receiver, lane.person]) }
        (contacts, lanes) = ([], [])
    }

    /// Returns the name, truncated to a length that an index of the database can contain.
    private static func shortened(_ name: String) -> String {
        var name = String(name.prefix(200))
        while name.utf8.count > 1000 { name.removeLast() }
        return name
    }

    // MARK: Cached lookups

    private mutating func gateway(_ name: String, _ arrived: Date) throws -> Int64 {
        if let id = gateways[name] { return id }
        let seconds = Int64(arrived.timeIntervalSince1970)
        // Mostly true with many batches, and writes nothing.
        let known =
            try db.value("SELECT id FROM gateway WHERE name = ? AND last_contact = ?", [name, seconds]) as Int64?
        if let known {
            gateways[name] = known
            return known
        }
        let id =
            try
            (db.value(
                """
                INSERT INTO gateway(name, last_contact) VALUES (?, ?)
                ON CONFLICT(name) DO UPDATE SET last_contact = excluded.last_contact RETURNING id
                """, [name, seconds]) as Int64?)
        guard let id else { throw HubProblem(.unavailable, "the store did not assign an identifier to a gateway") }
        gateways[name] = id
        return id
    }

    private mutating func device(_ device: SubmittedReading.Device) throws -> FoundDevice {
        if let found = devices[device] { return found }
        var found = try HubStore.device(of: device, db)
        contacts.insert(found.id)
        if found.wasMerged {
            hasMerged = true
            found.wasMerged = false
        }
        if found.hasNewRelatives {
            // Devices that were found before may have relatives now.
            (devices, related) = ([:], [:])
            found.hasNewRelatives = false
        }
        // A device without a serial number may be another device for the next reading.
        if device.serial != nil { devices[device] = found }
        return found
    }

    private mutating func related(_ device: FoundDevice) throws -> [RelatedDevice] {
        guard device.hasRelatives else { return [] }
        if let known = related[device.id] { return known }
        let found = try HubStore.relatives(of: device.id, db)
        related[device.id] = found
        return found
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

    /// Records that readings of the person arrived through the gateway, which may then read the person's state.
    private mutating func note(_ gateway: Int64, sentReadingsOf person: Int64) throws {
        guard noted.insert(GatewayPerson(gateway: gateway, person: person)).inserted else { return }
        try db.run(
            "INSERT INTO gateway_person(gateway_id, person_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [gateway, person])
    }

    /// Records that readings of the device arrived through the gateway, whose access follows the device's assignment.
    private mutating func note(_ gateway: Int64, sentReadingsOf device: DeviceUser) throws {
        guard notedDevices.insert(GatewayDevice(gateway: gateway, device: device)).inserted else { return }
        try db.run(
            """
            INSERT INTO gateway_device(gateway_id, device_id, user_index) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
            """, [gateway, device.device, device.user ?? HubStore.anyUser])
    }
}
#endif
