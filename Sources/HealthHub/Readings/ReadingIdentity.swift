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
        /// The octets that are hashed after the device.
        case octets([UInt8])
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private let form: Form
    /// The form of the identity in earlier versions; nil if it is the same. Stored readings are recognised by it.
    private var formerForm: Form?

    /// The identity in earlier versions.
    var former: ReadingIdentity? {
        get { formerForm.map { ReadingIdentity($0) } }
        set { formerForm = newValue?.form }
    }

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
        let start = "|\(measurement.kind.rawValue)|\(measurement.userIndex ?? -1)|"
        var text = start
        // The text with the time of reception as sent, of earlier versions.
        var formerText: String?
        if measurement.isGlucoseContext {
            // A context has no time; the identifier of a gateway's queue differs each time that it is sent.
            formerText = start
            if let deviceTime {
                formerText? += "time \(deviceTime)|\(measurement.sequenceNumber ?? -1)|"
            } else {
                formerText? += reading.id.map { "id \($0)|" } ?? "received \(reading.time ?? "")|-1|"
            }
            text += "context \(measurement.sequenceNumber ?? -1)|"
        } else if let deviceTime {
            text += "time \(deviceTime)|\(measurement.sequenceNumber ?? -1)|"
            if measurement.deviceTime?.isComplete == false {
                // Earlier versions ignored the time that is sent beside an incomplete one of the device.
                formerText = start
                formerText? +=
                    reading.id.map { "id \($0)|" }
                    ?? "received \(reading.time ?? "")|\(measurement.sequenceNumber ?? -1)|"
            }
        } else if let id = reading.id {
            text += "id \(id)|"
        } else {
            let (sent, number) = (reading.time ?? "", measurement.sequenceNumber ?? -1)
            let time = ReadingTime.normalised(sent)
            text += "received \(time)|\(number)|"
            // Earlier versions kept all decimals of a second, and versions before them the text as sent.
            let former = ReadingTime.normalised(sent, decimals: .max)
            if former != time {
                formerText = start + "received \(former)|\(number)|"
            } else if time != sent {
                formerText = start + "received \(sent)|\(number)|"
            }
        }
        // The values in earlier versions, if they differed.
        var formerOctets: [UInt8]?
        // A number in JSON may have other digits each time that it is sent: 70.5 and 70.50.
        let quantities = { (isFormer: Bool) in
            let texts = measurement.quantities.map { quantity in
                let number = isFormer ? nil : quantity.value.map { "\($0)" }
                return "\(quantity.name)=\(number ?? quantity.text) \(quantity.unit)"
            }
            return Array(texts.joined(separator: "|").utf8)
        }
        var octets: [UInt8] = []
        if let raw {
            octets += "\(record)|".utf8
            for (index, byte) in raw.enumerated() {
                if index > 0 { octets.append(UInt8(ascii: " ")) }
                // Without leading zeros, as the identities of stored readings were made.
                if byte > 0xF { octets.append(Self.digits[Int(byte >> 4)]) }
                octets.append(Self.digits[Int(byte & 0xF)])
            }
            if fields != nil {
                // Octets of a vendor. Earlier versions did not store them if the characteristic was not sent.
                formerOctets = reading.characteristic == nil ? quantities(true) : octets
                octets += "|\(reading.characteristic.flatMap { BluetoothUUID($0)?.description } ?? "")".utf8
            }
        } else {
            octets = quantities(false)
            let former = quantities(true)
            if former != octets { formerOctets = former }
            // Gateways may send more or fewer of the other fields. Without quantities only they distinguish readings,
            // which they did not in earlier versions.
            if octets.isEmpty {
                formerOctets = []
                octets += "|\(fields ?? "")".utf8
            }
        }
        if let identifier = reading.identifier {
            // In earlier versions the values were part of the identity.
            form = .octets(Array("|identifier \(identifier)|".utf8))
            formerForm = .octets(Array(text.utf8) + (formerOctets ?? octets))
        } else {
            form = .octets(Array(text.utf8) + octets)
            // A former identity without values does not identify them: no stored reading is recognised by it.
            if formerText != nil || formerOctets != nil, formerOctets?.isEmpty != true {
                // The form of the version before this one.
                let former = formerOctets == nil ? formerText ?? text : text
                formerForm = .octets(Array(former.utf8) + (formerOctets ?? octets))
            }
        }
    }

    /// Returns the identity of the context of a glucose measurement. A device that was reset uses the sequence numbers
    /// of earlier measurements again.
    /// - Parameter time: the time of the measurement on the device's clock.
    func context(ofMeasurementAt time: String) -> ReadingIdentity {
        guard case .octets(let octets) = form else { return self }
        return ReadingIdentity(.octets(octets + "|measured \(time)".utf8))
    }

    /// Returns the first 16 octets of the SHA-256 digest.
    /// - Parameter seed: the octets that stand for the device in all keys of the hub.
    func key(seed: Data) -> Data {
        switch form {
        case .key(let key): return key
        case .octets(let octets):
            var digest = SHA256()
            digest.update(data: seed)
            digest.update(data: octets)
            return digest.finalize().withUnsafeBytes { Data(UnsafeRawBufferPointer(rebasing: $0.prefix(16))) }
        }
    }
}
