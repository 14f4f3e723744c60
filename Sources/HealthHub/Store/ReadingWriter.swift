import Foundation
import GRDB

/// Writes readings in one transaction.
struct ReadingWriter {
    /// A record with the values of its row.
    private struct Pending {
        let record: PreparedReading.Record
        let key: Data
        let owner: Int64?
        let gateway, device: Int64
        let arguments: StoreArguments
        /// The index of the batch, and of the reading in it.
        let batch, reading: Int
        /// True if another gateway sent the reading.
        let isTwin: Bool

        /// The weight, which may be implausible; nil for other readings and those of nobody.
        var weight: (person: Int64, taken: Int64, value: Double)? {
            guard let owner, let weight = record.measurement.countedWeight else { return nil }
            return (owner, Int64(record.taken.timeIntervalSince1970.rounded(.down)), weight)
        }
    }

    private let db: any StoreConnection
    private var keys: ReadingKeys
    private var references: ReadingReferences
    private var effects: ReadingEffects
    private var twins: ReadingTwins
    /// True if messages for receivers were queued.
    var hasMessages: Bool { effects.hasMessages }

    /// Creates a writer for one transaction.
    init(_ db: any StoreConnection) {
        self.db = db
        (keys, references, effects) = (ReadingKeys(db), ReadingReferences(db), ReadingEffects(db))
        twins = ReadingTwins(db)
    }

    /// Writes the readings of batches. A refused reading does not affect the others.
    mutating func write(_ batches: [PreparedBatch]) throws -> [[WrittenReading]] {
        let keysBefore = keys
        var (results, pending) = try resolve(batches)
        // Readings that precede a merger refer to the device that was merged.
        while references.hasMerged {
            references.forgetDevices()
            keys = keysBefore
            (results, pending) = try resolve(batches)
        }
        let insert = try db.insertion(db.dialect.readingInsertion)
        let ids = try insert(pending.map(\.arguments))
        let weights = zip(pending, ids).compactMap { record, id in
            record.weight.flatMap { weight in
                id.map { (id: $0, person: weight.person, taken: weight.taken, weight: weight.value) }
            }
        }
        let waiting = weights.isEmpty ? [:] : try HubStore.holdImplausible(weights, db)
        for person in Set(weights.map(\.person)).sorted() { try HubStore.compareWaiting(of: person, db) }
        for (record, id) in zip(pending, ids) {
            let kept = try id.map { try stored($0, record, waiting: waiting[$0]) } ?? known(record)
            if let person = kept.person { try effects.note(record.gateway, sentReadingsOf: person.id) }
            if case .kept(let earlier) = results[record.batch][record.reading] {
                results[record.batch][record.reading] = .kept(earlier + [kept])
            } else {
                results[record.batch][record.reading] = .kept([kept])
            }
        }
        try effects.finish(contacts: references.takeContacts())
        return results.map { $0.map { $0 ?? .refused(ReadingProblem("the value has no record")) } }
    }

    /// Returns the results of readings that are not written, and the records of the others.
    private mutating func resolve(_ batches: [PreparedBatch]) throws -> ([[WrittenReading?]], [Pending]) {
        var results: [[WrittenReading?]] = batches.map { Array(repeating: nil, count: $0.readings.count) }
        var pending: [Pending] = []
        keys.removePlanned()
        twins.removePlanned()
        for (number, batch) in batches.enumerated() {
            for (index, reading) in batch.readings.enumerated() {
                switch reading {
                case .failure(let problem):
                    // Records the contact of the gateway even if all its readings are refused.
                    _ = try references.gateway(batch.gateway, batch.arrived)
                    results[number][index] = .refused(problem)
                case .success(let reading):
                    do {
                        let records = try resolve(reading, of: batch, number, index)
                        if records.isEmpty { results[number][index] = .forgotten }
                        for record in records {
                            keys.plan(record.key, record.record.measurement, device: record.device)
                            if !record.isTwin {
                                twins.plan(record.key, record.record, device: record.device, gateway: record.gateway)
                            }
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
        let gateway = try references.gateway(
            prepared.reading.gateway.map(Self.shortened) ?? batch.gateway, batch.arrived)
        // Everything is checked before the device is created, so that a refused reading does not create a device.
        let named =
            try prepared.reading.person
            ?? prepared.reading.personIdentity.flatMap { try HubStore.person(withIdentity: $0, db) }
        if let named, try references.person(named) == nil {
            throw ReadingProblem("there is no person \(named); 'harald hub person list' lists the people")
        }
        let scope = try batch.scope.map { try HubStore.merging($0, db) }
        func check(_ isAllowed: Bool) throws {
            if !isAllowed { throw ReadingProblem("the token '\(batch.gateway)' is bound to other devices or people") }
        }
        if let scope {
            let user = prepared.records.first?.measurement.userIndex
            try check(try HubStore.mayBeSent(prepared.device, user: user, by: scope, db))
        }
        let device = try references.device(prepared.device)
        let related = try references.related(device)
        return try prepared.records.compactMap { record in
            let user = DeviceUser(device: device.id, user: record.measurement.userIndex)
            let owner = try named ?? references.owner(of: user)
            if let scope { try check(scope.maySend(of: owner, device: device.id)) }
            let known = try twins.key(of: record, device: device.id, owner: owner, gateway: gateway)
            guard let key = try known ?? keys.key(of: record, sentID: prepared.reading.id, device, related) else {
                // The reading named the device again.
                try HubStore.forgetNames(of: device.id, db)
                return nil
            }
            try db.prepareForReading(at: record.taken)
            return Pending(
                record: record, key: key, owner: owner, gateway: gateway, device: device.id,
                arguments: record.row(key: key, owner: owner, device: device.id, gateway: gateway), batch: number,
                reading: index, isTwin: known != nil)
        }
    }

    /// - Parameter reason: why the reading waits for a decision; nil if it counts.
    private mutating func stored(_ id: Int64, _ new: Pending, waiting reason: String?) throws -> KeptRecord {
        try effects.note(
            new.gateway, sentReadingsOf: DeviceUser(device: new.device, user: new.record.measurement.userIndex))
        // A control solution checks the meter: it is no value of the person.
        if let owner = new.owner, !new.record.measurement.isControlSolution {
            try effects.enqueue(id, of: owner)
        }
        var measurement = new.record.measurement
        if let reason { measurement.exclude(.waiting, reason: reason) }
        return KeptRecord(
            id: id, isNew: true, person: try references.person(new.owner), measurement: measurement,
            taken: new.record.taken)
    }

    private mutating func known(_ record: Pending) throws -> KeptRecord {
        let row = try db.row(db.dialect.readingByKey, [record.key])
        guard let row else { throw HubProblem(.unavailable, "the store refused a reading that it does not contain") }
        // The reading may be in the row of a related device.
        let device: Int64? = row["device_id"]
        try effects.note(
            record.gateway,
            sentReadingsOf: DeviceUser(device: device ?? record.device, user: record.record.measurement.userIndex))
        let seconds: Int64? = row["taken"]
        // Octets are part of the identity.
        let sent = record.record.measurement
        var measurement = sent.isFromFields ? HealthMeasurement(row) ?? sent : sent
        if let exclusion = Exclusion.of(row) {
            let reason: String? = try db.value("SELECT reason FROM decision WHERE reading_id = ?", [row["id"] as Int64])
            measurement.exclude(exclusion, reason: reason)
        }
        return KeptRecord(
            id: row["id"], isNew: false, person: try references.person(row["person_id"]), measurement: measurement,
            taken: seconds.map { Date(seconds: $0) } ?? record.record.taken)
    }

    /// Returns the name, truncated to a length that an index of the database can contain.
    private static func shortened(_ name: String) -> String {
        var name = String(name.prefix(200))
        while name.utf8.count > 1000 { name.removeLast() }
        return name
    }
}
