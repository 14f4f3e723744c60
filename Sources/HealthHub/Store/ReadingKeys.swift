import Foundation

/// Finds the keys by which the store has the readings of one transaction, or will have them.
///
/// A key that the store has under another identity, or in the row of a related device, is found too.
struct ReadingKeys {
    /// A record in the memory of a glucose meter.
    private struct GlucoseRecord: Hashable {
        let device: Int64
        let number: Int?
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
    ///   - related: the seeds of the rows of other devices that may have the reading.
    mutating func key(
        of record: PreparedReading.Record, sentID: String?, _ device: FoundDevice, _ related: [Data]
    ) throws -> Data? {
        let measurement = record.measurement
        let glucose = GlucoseRecord(device: device.id, number: measurement.sequenceNumber)
        if measurement.isGlucoseContext {
            return try key(
                of: identities(ofContext: record, glucose, sentID: sentID, device.seed), device.seed, related)
        }
        let key = try key(of: [record.identity] + [record.further].compactMap { $0 }, device.seed, related)
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

    /// Returns the key of the reading with one of these identities, the most probable one first; nil if the reading was
    /// deleted with its person.
    private mutating func key(of identities: [ReadingIdentity], _ seed: Data, _ related: [Data]) throws -> Data? {
        let keys = ([seed] + related).flatMap { seed in identities.map { $0.key(seed: seed) } }
        for key in keys where try isForgotten(key) { return nil }
        guard keys.count > 1 else { return keys[0] }
        for key in keys {
            if let row = try db.row(db.dialect.readingByKey, [key]) {
                return try HubStore.original(ofCopy: row["id"], db) ?? key
            }
            if isPlanned(key) { return key }
        }
        return keys[0]
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
