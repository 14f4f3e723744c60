#if Programs
import BluetoothProfiles
import Foundation

/// A reading that was decoded and checked and whose times were converted: everything that does not require the store.
struct PreparedReading: Sendable {
    /// A record of the value. Only continuous glucose monitors send several.
    struct Record: Sendable {
        let measurement: HealthMeasurement
        /// The time of the measurement, in true time.
        let taken: Date
        /// The device's time as sent.
        let deviceTime: String?
        let identity: ReadingIdentity
    }

    let reading: SubmittedReading
    /// The device, with its attributes normalised for comparison.
    let device: SubmittedReading.Device
    /// The records; at least one.
    let records: [Record]
    /// The value; nil for a vendor's frame.
    let raw: [UInt8]?

    /// - Parameter zone: the time zone of the wall time that devices show.
    /// - Throws: ``ReadingProblem`` for a reading that is refused.
    init(_ reading: SubmittedReading, arrived: Date, zone: TimeZone) throws(ReadingProblem) {
        if let problem = reading.problem { throw ReadingProblem(problem) }
        let measurements = try HealthMeasurement.decode(reading)
        guard let first = measurements.first else { throw ReadingProblem("the value has no record") }
        let raw = reading.characteristic == nil ? nil : reading.hex.flatMap(HealthMeasurement.bytes)
        var records: [Record] = []
        for (index, measurement) in measurements.enumerated() {
            var time = try ReadingTime(reading, measurement, arrived: arrived, zone: zone)
            if measurement.kind == .continuousGlucose, let offset = measurement.sequenceNumber,
                let start = first.sequenceNumber, offset != start
            {
                // The records of one value differ by their offsets, in minutes.
                time.taken.addTimeInterval(Double(offset - start) * 60)
                time.device = time.device?.adding(seconds: Int64(offset - start) * 60)
            }
            try ReadingIdentity.check(reading, deviceTime: time.device)
            let deviceTime = time.device?.description
            let identity = ReadingIdentity(
                reading, measurement, record: index, deviceTime: time.device?.isComplete == true ? deviceTime : nil,
                raw: raw)
            records.append(
                Record(measurement: measurement, taken: time.taken, deviceTime: deviceTime, identity: identity))
        }
        var device = reading.device ?? SubmittedReading.Device()
        device.trim()
        (self.reading, self.device, self.records, self.raw) = (reading, device, records, raw)
    }
}

/// The readings of one request, prepared for a transaction.
struct PreparedBatch: Sendable {
    let readings: [Result<PreparedReading, ReadingProblem>]
    /// The name of the gateway whose token was used.
    let gateway: String
    let arrived: Date

    /// - Parameter zone: the time zone of the wall time that devices show.
    init(_ readings: [SubmittedReading], gateway: String, arrived: Date, zone: TimeZone) {
        self.readings = readings.map { reading in
            Result { () throws(ReadingProblem) in try PreparedReading(reading, arrived: arrived, zone: zone) }
        }
        (self.gateway, self.arrived) = (gateway, arrived)
    }
}
#endif
