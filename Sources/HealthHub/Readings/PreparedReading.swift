import BluetoothProfiles
import Foundation
import JSON

/// A reading that was decoded and checked and whose times were converted: everything that does not require the store.
struct PreparedReading: Sendable {
    /// A record of the value. Only continuous glucose monitors send several.
    struct Record: Sendable {
        let measurement: HealthMeasurement
        /// The time of the measurement, in true time.
        let taken: Date
        /// The time, on the device's clock, of the glucose measurement to which a context belongs; nil if it was not
        /// sent.
        let measuredTime: String?
        let identity: ReadingIdentity
        /// The identity without the time of the clock, which the hub may have ignored before; nil if it is the same.
        let further: ReadingIdentity?
        /// True if neither the device nor its sender identifies the reading (``ReadingTwins``).
        let isWithoutClock: Bool
        /// The values of the columns ``columnNames``.
        let columns: StoreArguments

        /// The columns of a reading that do not depend on the store.
        static let columnNames = """
            kind, user_index, characteristic, taken, arrived, device_time, clock_offset, sequence, raw, fields, v1, \
            v2, v3, unit, simulated, received, sent_id
            """

        /// Returns the values of the columns `key`, `person_id`, `device_id` and `gateway_id`, and of ``columnNames``.
        func row(key: Data, owner: Int64?, device: Int64, gateway: Int64) -> StoreArguments {
            [key, owner, device, gateway] + columns
        }
    }

    let reading: SubmittedReading
    /// The device, with its attributes normalised for comparison.
    let device: SubmittedReading.Device
    /// The records; at least one.
    let records: [Record]
    /// - Parameter zone: the time zone of the wall time that devices show.
    /// - Throws: ``ReadingProblem`` for a reading that is refused.
    init(_ reading: SubmittedReading, arrived: Date, zone: TimeZone) throws(ReadingProblem) {
        if let problem = reading.problem { throw ReadingProblem(problem) }
        if reading.retracted == true { throw ReadingProblem("the reading is entered in error") }
        try reading.checkTexts()
        var reading = reading
        // A blank identifier identifies nothing.
        if reading.id?.allSatisfy(\.isWhitespace) == true { reading.id = nil }
        // The values of an exported Observation were checked.
        let isStored = reading.key != nil
        if let identity = reading.identity { reading.key = try Self.key(identity) }
        let measurements = try HealthMeasurement.decode(reading, isStored: isStored)
        guard let first = measurements.first else { throw ReadingProblem("the value has no record") }
        guard reading.key == nil || measurements.count == 1 else {
            throw ReadingProblem("a value with \(measurements.count) records cannot have one identity")
        }
        let raw = reading.hex.flatMap(HealthMeasurement.bytes)
        let fields = first.isFromFields ? try HealthMeasurement.records(of: reading, isStored: isStored) : []
        let parts = measurements.count == 1 || first.isFromFields ? nil : raw.flatMap(Self.records)
        // The records of one value have its time of reception in common.
        let isDerivable = reading.key == nil && reading.identifier == nil && measurements.count == 1
        var records: [Record] = []
        for (index, measurement) in measurements.enumerated() {
            var time = try ReadingTime(reading, measurement, arrived: arrived, zone: zone)
            if measurement.kind == .continuousGlucose, let offset = measurement.sequenceNumber,
                let end = measurements.last?.sequenceNumber, offset != end
            {
                // The records of one value differ by their offsets, in minutes. The last one is the current one.
                let taken = time.taken.addingTimeInterval(Double(offset - end) * 60)
                time.taken = min(max(taken, ReadingTime.earliest), arrived)
                time.device = time.device?.adding(seconds: Int64(offset - end) * 60)
            }
            try ReadingIdentity.check(reading, deviceTime: time.device, isContext: measurement.isGlucoseContext)
            let deviceTime = time.device?.description
            let completeTime = time.device?.isComplete == true ? deviceTime : nil
            // Without an id and a time, nothing else identifies the reading. A context has the time of its measurement.
            let hasOther = (reading.id != nil || reading.time != nil) && !measurement.isGlucoseContext
            let knownTime = time.isClockUsed || !hasOther ? completeTime : nil
            // A record is the same reading in any value.
            let isPart = parts?.count == measurements.count
            let octets = isPart ? parts?[index] : raw
            let record = first.isFromFields ? try Self.text(of: fields[index]) : nil
            let identity = { (deviceTime: String?) in
                ReadingIdentity(
                    reading, measurement, record: isPart ? 0 : index, deviceTime: deviceTime, raw: octets,
                    fields: record)
            }
            let mayHaveOther = completeTime != nil && hasOther && time.isClockUsed && time.mayHaveBeenAhead
            records.append(
                Record(
                    measurement: measurement, taken: time.taken,
                    measuredTime: measurement.isGlucoseContext ? completeTime : nil, identity: identity(knownTime),
                    further: mayHaveOther ? identity(nil) : nil,
                    isWithoutClock: isDerivable && time.device == nil && !measurement.kind.isStreamed
                        && !measurement.isGlucoseContext && measurement.sequenceNumber == nil,
                    columns: Self.columns(
                        reading, measurement, time, arrived: arrived, isTimed: knownTime != nil,
                        isDerivable: isDerivable, raw: octets, fields: record)))
        }
        var device = reading.device ?? SubmittedReading.Device()
        device.trim()
        (self.reading, self.device, self.records) = (reading, device, records)
    }

    /// Returns the octets of an exported identity.
    private static func key(_ identity: String) throws(ReadingProblem) -> Data {
        guard let octets = HealthMeasurement.bytes(identity), octets.count == 16 else {
            throw ReadingProblem("identity is not that of an exported reading: '\(identity.prefix(64))'")
        }
        return Data(octets)
    }

    /// Splits a CGM Measurement into its records, which begin with their sizes (Continuous Glucose Monitoring Service
    /// 1.0.2, 3.1.1.1); nil if the sizes do not fit.
    private static func records(_ raw: [UInt8]) -> [[UInt8]]? {
        var records: [[UInt8]] = []
        var start = 0
        while start < raw.count {
            let end = start + Int(raw[start])
            guard end > start, end <= raw.count else { return nil }
            records.append(Array(raw[start..<end]))
            start = end
        }
        return records
    }

    /// Returns fields as JSON with sorted names.
    private static func text(of fields: [String: JSONValue]) throws(ReadingProblem) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do {
            return String(decoding: try encoder.encode(fields), as: UTF8.self)
        } catch {
            throw ReadingProblem("fields cannot be stored as JSON: \(error)")
        }
    }

    /// Returns the values of ``Record/columnNames``.
    /// - Parameters:
    ///   - isTimed: true if a device time identifies the reading.
    ///   - isDerivable: true if another hub derives the same identity from the stored reading, even without a device
    ///     time.
    private static func columns(
        _ reading: SubmittedReading, _ measurement: HealthMeasurement, _ time: ReadingTime, arrived: Date,
        isTimed: Bool, isDerivable: Bool, raw: [UInt8]?, fields: String?
    ) -> StoreArguments {
        // Values that are not judged do not count in means either.
        let numbers = measurement.isCounted ? measurement.statistics : []
        let received = isTimed || isDerivable ? time.received : nil
        let sentID = isDerivable && !isTimed ? reading.id : nil
        let number = { (index: Int) -> Double? in index < numbers.count ? numbers[index] : nil }
        return [
            measurement.kind.rawValue, measurement.userIndex, reading.characteristic,
            Int64(time.taken.timeIntervalSince1970.rounded(.down)), Int64(arrived.timeIntervalSince1970),
            time.device?.description, reading.clockOffset, measurement.sequenceNumber, raw.map { Data($0) }, fields,
            number(0), number(1), number(2), measurement.isInSIUnits ? 1 : nil as Int?, reading.simulated ?? false,
            received, sentID,
        ]
    }
}

/// The readings of one request, prepared for a transaction.
struct PreparedBatch: Sendable {
    let readings: [Result<PreparedReading, ReadingProblem>]
    /// The name of the gateway whose token was used.
    let gateway: String
    /// The scope of this token; nil for all.
    let scope: AccessScope?
    let arrived: Date
    /// The number of readings that are to be stored.
    let recordCount: Int

    /// - Parameter zone: the time zone of the wall time that devices show.
    init(
        _ readings: [SubmittedReading], gateway: String, scope: AccessScope? = nil, arrived: Date,
        zone: TimeZone
    ) {
        self.readings = readings.map { reading in
            Result { () throws(ReadingProblem) in try PreparedReading(reading, arrived: arrived, zone: zone) }
        }
        (self.gateway, self.scope, self.arrived) = (gateway, scope, arrived)
        recordCount = self.readings.reduce(0) { $0 + ((try? $1.get())?.records.count ?? 0) }
    }
}
