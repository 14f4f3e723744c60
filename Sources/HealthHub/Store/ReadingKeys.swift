import Foundation

/// Finds the keys by which the store has the readings of one transaction, or will have them.
///
/// A key that the store has under another identity is found too: that of an earlier version, and those of the rows of
/// related devices.
struct ReadingKeys {
    /// A record in the memory of a glucose meter.
    private struct GlucoseRecord: Hashable {
        let device: Int64
        let number: Int?
    }

    /// A further key that a reading may have.
    private struct FurtherKey {
        let key: Data
        /// The time until which the readings of the row may be of the device, in seconds since 1970; nil if there is no
        /// limit.
        let until: Int64?
        /// The time of reception of the row, if it is a condition; see ``PreparedReading/FurtherIdentity``.
        var received: Int64?
    }

    private let db: any StoreConnection
    /// The keys of the records that will be written, in their order. The set contains the first ``indexed`` of them.
    private var planned: [Data] = []
    private var plannedSet: Set<Data> = []
    private var indexed = 0
    /// The times, on the clock of the device, of the glucose measurements that will be written.
    private var plannedTimes: [GlucoseRecord: String] = [:]
    /// The times, on the clock of the device, of glucose measurements that were deleted with their person and sent
    /// again.
    private var forgottenTimes: [GlucoseRecord: String] = [:]
    private var knowsForgotten: Bool?

    init(_ db: any StoreConnection) { self.db = db }

    /// Forgets the planned records.
    mutating func removePlanned() {
        (planned, plannedSet, indexed, plannedTimes) = ([], [], 0, [:])
    }

    /// Notes that a record will be written. It precedes the records whose keys are found after this call.
    mutating func plan(_ key: Data, _ measurement: HealthMeasurement, device: Int64) {
        planned.append(key)
        if measurement.kind == .glucose {
            let record = GlucoseRecord(device: device, number: measurement.sequenceNumber)
            plannedTimes[record] = measurement.deviceTime?.description
        }
    }

    /// Returns the key of a record; nil if it was deleted with its person.
    /// - Parameters:
    ///   - sentID: the identifier of the gateway's queue.
    ///   - related: the rows of other devices that may have the reading.
    mutating func key(
        of record: PreparedReading.Record, sentID: String?, _ device: FoundDevice, _ related: [RelatedDevice]
    ) throws -> Data? {
        let measurement = record.measurement
        let glucose = GlucoseRecord(device: device.id, number: measurement.sequenceNumber)
        if measurement.isGlucoseContext {
            let identities = try identities(ofContext: record, glucose, sentID: sentID, device.seed)
            return try key(of: identities[0], or: Array(identities.dropFirst()), device.seed, related)
        }
        let key = try key(of: record.identity, further: record.further, device.seed, related)
        if measurement.kind == .glucose {
            forgottenTimes[glucose] = key == nil ? measurement.deviceTime?.description : nil
        }
        return key
    }

    /// Returns the identities that a context may have, the most probable first.
    private mutating func identities(
        ofContext record: PreparedReading.Record, _ glucose: GlucoseRecord, sentID: String?, _ seed: Data
    ) throws -> [ReadingIdentity] {
        // That of a context that arrived without its measurement, and belongs to the first one.
        let own = record.identity
        let isForgotten = try isForgotten(own.key(seed: seed))
        if let time = record.measuredTime {
            let identity = own.context(ofMeasurementAt: time)
            return try isForgotten || hasMeasurement(glucose, notAt: time) ? [identity] : [identity, own]
        }
        let times = try times(of: glucose)
        if times.isEmpty { return [own] }
        // After a reset of the meter the last measurement has the number of an earlier one, whose context may be equal.
        if let last = times.first, times.contains(where: { $0 != last }), try !hasContext(glucose, sentID: sentID) {
            return [record.identity.context(ofMeasurementAt: last)]
        }
        return times.map(own.context) + (isForgotten ? [] : [own])
    }

    /// Returns true if the store has a measurement with this number and another time: that of the meter before a reset.
    private func hasMeasurement(_ record: GlucoseRecord, notAt time: String) throws -> Bool {
        try db.isTrue(
            """
            SELECT EXISTS(SELECT 1 FROM reading WHERE device_id = ? AND kind = ? AND sequence = ? AND device_time <> ?)
            """, [record.device, MeasurementKind.glucose.rawValue, record.number, time])
    }

    /// Returns true if the store has a context of the last measurement with this number, or one that its gateway sent
    /// with the same identifier and sends again.
    private func hasContext(_ record: GlucoseRecord, sentID: String?) throws -> Bool {
        try db.isTrue(
            """
            SELECT EXISTS(SELECT 1 FROM reading WHERE device_id = ? AND kind = ? AND sequence = ? AND (sent_id = ? OR
            id > (SELECT max(id) FROM reading
            WHERE device_id = ? AND kind = ? AND sequence = ? AND device_time IS NOT NULL)))
            """,
            [
                record.device, MeasurementKind.other.rawValue, record.number, sentID, record.device,
                MeasurementKind.glucose.rawValue, record.number,
            ])
    }

    /// Returns the times of the glucose measurement to which a context may belong, the most probable first.
    private func times(of record: GlucoseRecord) throws -> [String] {
        // The measurement precedes its context, unless another gateway sent it.
        if let time = forgottenTimes[record] ?? plannedTimes[record] { return [time] }
        return try db.values(
            """
            SELECT device_time FROM reading WHERE device_id = ? AND kind = ? AND sequence = ?
            AND device_time IS NOT NULL ORDER BY id DESC
            """, [record.device, MeasurementKind.glucose.rawValue, record.number])
    }

    /// Returns the key of the reading with an identity; nil if the reading was deleted with its person.
    /// - Parameters:
    ///   - others: further identities that it may have.
    ///   - conditional: a further identity that it may have, perhaps only on a condition.
    private mutating func key(
        of identity: ReadingIdentity, or others: [ReadingIdentity] = [],
        further conditional: PreparedReading.FurtherIdentity? = nil, _ seed: Data, _ related: [RelatedDevice]
    ) throws -> Data? {
        let key = identity.key(seed: seed)
        guard try !isForgotten(key) else { return nil }
        let identities = [identity.former].compactMap { $0 } + others.flatMap { [$0, $0.former].compactMap { $0 } }
        if related.isEmpty, identities.isEmpty, conditional == nil { return key }
        var further = identities.map { FurtherKey(key: $0.key(seed: seed), until: nil) }
        for row in related {
            further += ([identity] + identities).map { FurtherKey(key: $0.key(seed: row.seed), until: row.until) }
        }
        if let conditional {
            let (identity, received) = (conditional.identity, conditional.received)
            further.append(FurtherKey(key: identity.key(seed: seed), until: nil, received: received))
            further += related.map {
                FurtherKey(key: identity.key(seed: $0.seed), until: $0.until, received: received)
            }
        }
        // The digest of a deleted reading does not tell its time of reception.
        for other in further where other.received == nil {
            if try isForgotten(other.key) { return nil }
        }
        if !related.isEmpty || further.count > 1, let row = try db.row(db.dialect.readingByKey, [key]) {
            return try HubStore.original(ofCopy: row["id"], db) ?? key
        }
        if isPlanned(key) { return key }
        for other in further {
            if other.until == nil, other.received == nil, isPlanned(other.key) { return other.key }
            guard let row = try db.row(db.dialect.readingByKey, [other.key]) else { continue }
            if let received = other.received, row["received"] as Int64? != received { continue }
            // Later readings of that row are not of this device.
            if let until = other.until, (row["arrived"] as Int64? ?? 0) > until { continue }
            return related.isEmpty ? other.key : try HubStore.original(ofCopy: row["id"], db) ?? other.key
        }
        return key
    }

    private mutating func isPlanned(_ key: Data) -> Bool {
        plannedSet.formUnion(planned[indexed...])
        indexed = planned.count
        return plannedSet.contains(key)
    }

    private mutating func isForgotten(_ key: Data) throws -> Bool {
        let knows = try knowsForgotten ?? db.isTrue("SELECT EXISTS(SELECT 1 FROM forgotten)")
        knowsForgotten = knows
        guard knows else { return false }
        return try db.isTrue("SELECT 1 FROM forgotten WHERE key = ?", [key])
    }
}
