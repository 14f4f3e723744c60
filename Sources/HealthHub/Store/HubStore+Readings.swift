#if Programs
import BluetoothProfiles
import Foundation
import GRDB

/// Result of storing one reading.
package struct ReadingResult: Sendable, Encodable {
    /// State of a reading in the store.
    package enum Status: String, Sendable, Encodable { case stored, known, refused }
    /// Index in the request.
    package var index: Int
    /// State.
    package var status: Status
    /// Identifier in the store; nil where the reading was refused or its person deleted.
    package var id: String?
    /// The reason of a refusal.
    package var problem: String?
    /// Identifier of the person to whom the reading belongs; nil where it belongs to nobody.
    package var person: String?
    /// The judgement; nil where the reading was refused.
    package var judgement: Judgement?

    private enum Key: String, CodingKey { case index, status, id, problem, person, judgement }

    /// Every key is there, so that a program need not ask which are.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(index, forKey: .index)
        try container.encode(status, forKey: .status)
        try container.encode(id, forKey: .id)
        try container.encode(problem, forKey: .problem)
        try container.encode(person, forKey: .person)
        try container.encode(judgement, forKey: .judgement)
    }
}

/// Answer to a batch of readings.
package struct BatchResult: Sendable {
    /// One result for each reading, in their order.
    package var results: [ReadingResult]
    /// People to whom readings of the batch belong.
    package var people: Set<Int64>
}

extension HubStore {
    /// Largest number of readings in one batch.
    package static let largestBatch = 1000

    /// Stores readings in one transaction. A reading that is refused leaves the others.
    /// - Parameters:
    ///   - gateway: name of the gateway whose token was used.
    ///   - zone: zone of the wall time that devices show.
    /// - Throws: ``HubProblem``; nothing of the batch is stored then.
    package func store(
        _ readings: [SubmittedReading], gateway: String, arrived: Date = Date(), zone: TimeZone = .current
    ) throws -> BatchResult {
        guard readings.count <= Self.largestBatch else {
            throw HubProblem(.invalid, "a batch has at most \(Self.largestBatch) readings")
        }
        do {
            return try pool.write { db in
                try store(readings, gateway: gateway, arrived: arrived, zone: zone, db)
            }
        } catch {
            throw HubProblem(error)
        }
    }

    /// Stores readings in the transaction of the caller.
    func store(
        _ readings: [SubmittedReading], gateway: String, arrived: Date, zone: TimeZone, _ db: Database
    ) throws -> BatchResult {
        var batch = BatchResult(results: [], people: [])
        var context = BatchContext(arrived: arrived, zone: zone)
        for (index, reading) in readings.enumerated() {
            do {
                let name = reading.gateway.map { String($0.prefix(200)) } ?? gateway
                let gatewayID = try context.gateway(name, db)
                try store(reading, index, gatewayID, &context, &batch, db)
            } catch let problem as ReadingProblem {
                batch.results.append(ReadingResult(index: index, status: .refused, problem: problem.description))
            }
        }
        return batch
    }

    /// Readings of the gateway belong to the person.
    package func gateway(_ name: String, hasReadingsOf person: Int64) throws -> Bool {
        try pool.read { db in
            try Bool.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT EXISTS(SELECT 1 FROM gateway_person JOIN gateway ON gateway.id = gateway_id
                        WHERE gateway.name = ? AND person_id = ?)
                        """), arguments: [name, person]) ?? false
        }
    }

    /// What the readings of one batch have in common.
    private struct BatchContext {
        let arrived: Date
        let zone: TimeZone
        private var gateways: [String: Int64] = [:]
        private var people: [Int64: Person] = [:]
        private var known: [Receiver]?

        init(arrived: Date, zone: TimeZone) { (self.arrived, self.zone) = (arrived, zone) }

        mutating func gateway(_ name: String, _ db: Database) throws -> Int64? {
            if let id = gateways[name] { return id }
            let id = try Int64.fetchOne(
                db,
                sql: """
                    INSERT INTO gateway(name, last_contact) VALUES (?, ?)
                    ON CONFLICT(name) DO UPDATE SET last_contact = excluded.last_contact RETURNING id
                    """, arguments: [name, Int64(arrived.timeIntervalSince1970)])
            gateways[name] = id
            return id
        }

        mutating func receivers(_ db: Database) throws -> [Receiver] {
            if let known { return known }
            let found = try HubStore.receivers(db)
            known = found
            return found
        }

        mutating func person(_ id: Int64?, _ db: Database) throws -> Person? {
            guard let id else { return nil }
            if let person = people[id] { return person }
            let person = try HubStore.person(id, db)
            people[id] = person
            return person
        }
    }

    private func store(
        _ reading: SubmittedReading, _ index: Int, _ gateway: Int64?, _ context: inout BatchContext,
        _ batch: inout BatchResult, _ db: Database
    ) throws {
        if let problem = reading.problem { throw ReadingProblem(problem) }
        let measurements = try HealthMeasurement.decode(reading)
        guard let first = measurements.first else { throw ReadingProblem("the value has no record") }
        // Everything is checked before the first write, so that a refused reading leaves no device behind.
        if let person = reading.person, try context.person(person, db) == nil {
            throw ReadingProblem("there is no person \(person)")
        }
        let times = try measurements.map { measurement in
            var time = try ReadingTime(reading, measurement, arrived: context.arrived, zone: context.zone)
            if measurement.kind == .continuousGlucose, let offset = measurement.sequenceNumber,
                let start = first.sequenceNumber, offset != start
            {
                // Records of one value differ by their offsets, in minutes.
                time.taken.addTimeInterval(Double(offset - start) * 60)
                time.device = time.device?.adding(seconds: Int64(offset - start) * 60)
            }
            try ReadingIdentity.check(reading, deviceTime: time.device)
            return time
        }
        let raw = reading.characteristic == nil ? nil : reading.hex.flatMap(HealthMeasurement.bytes)
        let device = try Self.device(of: reading, db)
        var result: ReadingResult?
        for (record, (measurement, time)) in zip(measurements, times).enumerated() {
            let identity = ReadingIdentity(
                device: device, reading, measurement, record: record, deviceTime: time.device, raw: raw)
            var stored = try insert(
                reading, measurement, time, identity, device: device, gateway: gateway, raw: raw, &context, &batch, db)
            stored.index = index
            // A value with several records counts as stored when one of them is new.
            if result == nil || (result?.status == .known && stored.status == .stored) { result = stored }
        }
        if let result { batch.results.append(result) }
    }

    private func insert(
        _ reading: SubmittedReading, _ measurement: HealthMeasurement, _ time: ReadingTime, _ identity: ReadingIdentity,
        device: Int64, gateway: Int64?, raw: [UInt8]?, _ context: inout BatchContext, _ batch: inout BatchResult,
        _ db: Database
    ) throws -> ReadingResult {
        let known = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT id, person_id FROM reading WHERE key = ?"), arguments: [identity.key])
        if let known {
            let owner: Int64? = known["person_id"]
            if let owner, batch.people.insert(owner).inserted { try Self.note(gateway, sentReadingsOf: owner, db) }
            return ReadingResult(
                index: 0, status: .known, id: String(known["id"] as Int64), person: owner.map { String($0) },
                judgement: assessor.judge(measurement, of: try context.person(owner, db), at: time.taken))
        }
        if try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM forgotten WHERE key = ?"), arguments: [identity.key]) == true
        {
            return ReadingResult(
                index: 0, status: .known, judgement: .notJudged(reason: "the person of this reading was deleted"))
        }
        let owner = try reading.person ?? Self.owner(of: device, user: measurement.userIndex, db)
        let columns = measurement.kind.storedQuantities.map { measurement[$0]?.canonical }
        let value = { (index: Int) -> Double? in index < columns.count ? columns[index] : nil }
        try db.cachedStatement(
            sql: """
                INSERT INTO reading(key, person_id, device_id, gateway_id, kind, user_index, characteristic, taken, arrived,
                device_time, clock_offset, sequence, raw, fields, v1, v2, v3, unit, simulated)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                identity.key, owner, device, gateway, measurement.kind.rawValue, measurement.userIndex,
                reading.characteristic, Int64(time.taken.timeIntervalSince1970.rounded(.down)),
                Int64(context.arrived.timeIntervalSince1970), time.device?.description, reading.clockOffset,
                measurement.sequenceNumber, raw.map { Data($0) },
                measurement.isFromFields ? try fieldsText(reading) : nil, value(0), value(1), value(2),
                measurement.quantities.first?.unit == "mmol/L" ? 1 : nil,
                reading.simulated ?? false,
            ])
        let number = db.lastInsertedRowID
        let id = String(number)
        if let owner { try Self.forward(number, of: owner, to: context.receivers(db), db) }
        if let owner, batch.people.insert(owner).inserted { try Self.note(gateway, sentReadingsOf: owner, db) }
        return ReadingResult(
            index: 0, status: .stored, id: id, person: owner.map { String($0) },
            judgement: assessor.judge(measurement, of: try context.person(owner, db), at: time.taken))
    }

    /// Remembers that readings of the person came by the gateway, which may read the person's state then.
    private static func note(_ gateway: Int64?, sentReadingsOf person: Int64, _ db: Database) throws {
        guard let gateway else { return }
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO gateway_person(gateway_id, person_id) VALUES (?, ?)")
            .execute(arguments: [gateway, person])
    }

    private func fieldsText(_ reading: SubmittedReading) throws -> String? {
        guard let fields = reading.fields else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(fields), as: UTF8.self)
    }
}
#endif
