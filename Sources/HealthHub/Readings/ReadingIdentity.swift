#if Programs
import BluetoothProfiles
import Crypto
import Foundation

/// Identity of a reading: device, kind, user index, the device's time as sent, sequence number and octets. A reading
/// without a device time is identified by the identifier that its gateway made when it queued it.
///
/// The person is no part of it: assigning a device later makes no second reading.
struct ReadingIdentity {
    /// First 16 octets of the SHA-256 digest.
    let key: Data

    /// Checks that the reading can be recognised when it is sent again.
    /// - Throws: ``ReadingProblem`` for a reading without a device time, an identifier and a time of reception.
    static func check(_ reading: SubmittedReading, deviceTime: DateTime?) throws(ReadingProblem) {
        guard deviceTime?.isComplete == true || reading.id != nil || reading.time != nil else {
            throw ReadingProblem("a reading without a time of the device needs an id or a time")
        }
    }

    init(
        device: Int64, _ reading: SubmittedReading, _ measurement: HealthMeasurement, record: Int,
        deviceTime: DateTime?,
        raw: [UInt8]?
    ) {
        if let key = reading.key {
            self.key = key
            return
        }
        var text = "\(device)|\(measurement.kind.rawValue)|\(measurement.userIndex ?? -1)|"
        if let deviceTime, deviceTime.isComplete {
            text += "time \(deviceTime)|\(measurement.sequenceNumber ?? -1)|"
        } else if let id = reading.id {
            text += "id \(id)|"
        } else {
            text += "received \(reading.time ?? "")|\(measurement.sequenceNumber ?? -1)|"
        }
        if let raw {
            text += "\(record)|" + raw.map { String($0, radix: 16) }.joined(separator: " ")
        } else {
            text += measurement.quantities.map { "\($0.name)=\($0.text) \($0.unit)" }.joined(separator: "|")
        }
        key = Data(SHA256.hash(data: Data(text.utf8)).prefix(16))
    }
}
#endif
