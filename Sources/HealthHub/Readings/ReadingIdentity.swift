import BluetoothModel
import BluetoothProfiles
import Crypto
import Foundation

/// The identity of a reading: device, kind, user index, the device's time as sent, sequence number and octets. A
/// reading without a device time, or with that of a clock that was never set, is identified by the identifier that its
/// gateway generated when it queued the reading, the context of a glucose measurement by the measurement, and a FHIR
/// Observation by its own identifier.
///
/// The person is not part of the identity: assigning a device later does not duplicate readings.
struct ReadingIdentity: Sendable {
    private enum Form {
        /// An identity assigned by another hub.
        case key(Data)
        /// The text that is hashed after the device.
        case text(String)
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    /// Checks that the reading can be recognised if it is sent again.
    /// - Throws: ``ReadingProblem`` for a reading without a device time, an identifier and a time of reception.
    static func check(
        _ reading: SubmittedReading, deviceTime: DateTime?, isContext: Bool
    ) throws(ReadingProblem) {
        guard deviceTime?.isComplete == true || reading.id != nil || reading.time != nil || isContext else {
            throw ReadingProblem("a reading without deviceTime requires an id or a time")
        }
    }

    /// - Parameters:
    ///   - deviceTime: the device's time; nil if it is incomplete, or does not identify the reading.
    ///   - fields: the decoded fields as JSON with sorted names; nil if the octets were decoded.
    init(
        _ reading: SubmittedReading, _ measurement: HealthMeasurement, record: Int, deviceTime: String?, raw: [UInt8]?,
        fields: String? = nil
    ) {
        if let key = reading.key {
            form = .key(key)
            return
        }
        if let identifier = reading.identifier {
            form = .text("|identifier \(identifier)|")
            return
        }
        var text = "|\(measurement.kind.rawValue)|\(measurement.userIndex ?? -1)|"
        let number = measurement.sequenceNumber ?? -1
        if measurement.isGlucoseContext {
            // A context has no time; the identifier of a gateway's queue differs each time that it is sent.
            text += "context \(number)|"
        } else if let deviceTime {
            text += "time \(deviceTime)|\(number)|"
        } else if let id = reading.id {
            text += "id \(id)|"
        } else {
            text += "received \(ReadingTime.normalised(reading.time ?? ""))|\(number)|"
        }
        if let raw {
            text += "\(record)|\(raw.hexText())"
            // Octets of a vendor.
            if fields != nil { text += "|\(reading.characteristic.flatMap { BluetoothUUID($0)?.description } ?? "")" }
        } else {
            // A number in JSON may have other digits each time that it is sent: 70.5 and 70.50.
            let values = measurement.quantities.map { quantity in
                "\(quantity.name)=\(quantity.value.map { "\($0)" } ?? quantity.text) \(quantity.unit)"
            }
            // Gateways may send more or fewer of the other fields. Without quantities only they distinguish readings.
            text += values.isEmpty ? "|\(fields ?? "")" : values.joined(separator: "|")
        }
        form = .text(text)
    }

    /// Returns the identity of the context of a glucose measurement. A device that was reset uses the sequence numbers
    /// of earlier measurements again.
    /// - Parameter time: the time of the measurement on the device's clock.
    func context(ofMeasurementAt time: String) -> ReadingIdentity {
        guard case .text(let text) = form else { return self }
        return ReadingIdentity(.text("\(text)|measured \(time)"))
    }

    /// Returns the first 16 octets of the SHA-256 digest.
    /// - Parameter seed: the octets that stand for the device in all keys of the hub.
    func key(seed: Data) -> Data {
        switch form {
        case .key(let key): return key
        case .text(let text):
            var digest = SHA256()
            digest.update(data: seed)
            digest.update(data: Data(text.utf8))
            return digest.finalize().withUnsafeBytes { Data(UnsafeRawBufferPointer(rebasing: $0.prefix(16))) }
        }
    }
}
