import BluetoothModel
import BluetoothProfiles
import Foundation
import JSON

extension HealthMeasurement {
    /// Decodes the measurements of a reading: one, or one for each record of a continuous glucose monitor. Values that
    /// no person can have are refused in fields; in octets, which a device sent, they are not judged.
    /// - Parameter isStored: true for a reading that the store, or another hub, has accepted: nothing in its fields is
    ///   refused, but the measurement has a reservation.
    /// - Throws: ``ReadingProblem`` for bytes or fields that are no measurement.
    package static func decode(
        _ reading: SubmittedReading, isStored: Bool = false
    ) throws(ReadingProblem) -> [HealthMeasurement] {
        let uuid = try uuid(of: reading)
        if let hex = reading.hex {
            guard let bytes = bytes(hex) else {
                throw ReadingProblem("hex is not a hexadecimal number of whole octets, 512 at most")
            }
            if let uuid, MeasurementKind.of(uuid) != nil {
                return try records(of: bytes, uuid).map { fields throws(ReadingProblem) in
                    try HealthMeasurement(OctetFields(fields: fields), uuid)
                }
            }
        }
        guard reading.fields != nil else {
            throw ReadingProblem(
                reading.hex == nil
                    ? "hex or fields are required" : "the characteristic is not a known measurement; send fields too")
        }
        var measurements: [HealthMeasurement] = []
        for record in try records(of: reading, isStored: isStored) {
            var measurement = try HealthMeasurement(JSONFields(members: record, isLenient: isStored), uuid)
            measurement.isFromFields = true
            measurements.append(measurement)
        }
        return measurements
    }

    /// Returns the fields of each record in octets. A time that is out of range is unknown: the clock of the device was
    /// never set.
    private static func records(of bytes: [UInt8], _ uuid: BluetoothUUID) throws(ReadingProblem) -> [[Field]] {
        let fields: [Field]
        do throws(ValueError) {
            fields = try Profiles.fieldsWithUnknownTimes(of: bytes, uuid: uuid) ?? []
        } catch {
            throw ReadingProblem("hex: \(error)")
        }
        guard uuid == CGMMeasurement.uuid, case .list(let records)? = fields.first?.value else { return [fields] }
        return records.map { record in if case .group(let fields) = record { fields } else { [] } }
    }

    /// Returns the fields of each record that was sent as JSON. Only the value of a continuous glucose monitor has
    /// several.
    /// - Parameter isStored: true if a list that is no list of records is returned as it is.
    /// - Throws: ``ReadingProblem`` for a list that is no list of records.
    static func records(
        of reading: SubmittedReading, isStored: Bool = false
    ) throws(ReadingProblem) -> [[String: JSONValue]] {
        var fields = reading.fields ?? [:]
        guard let node = fields["cgmMeasurement"] else { return [fields] }
        // A record has at least six octets, a value at most 512.
        guard case .array(let list) = node, (1...85).contains(list.count) else {
            if isStored { return [fields] }
            throw ReadingProblem("fields.cgmMeasurement is not a list of 1 to 85 records")
        }
        // Fields beside the list are those of each record.
        fields["cgmMeasurement"] = nil
        var records: [[String: JSONValue]] = []
        for node in list {
            guard case .object(let record) = node else {
                if isStored { return [reading.fields ?? [:]] }
                throw ReadingProblem("fields.cgmMeasurement has an element that is not an object")
            }
            records.append(record.merging(fields) { own, _ in own })
        }
        return records
    }

    private static func uuid(of reading: SubmittedReading) throws(ReadingProblem) -> BluetoothUUID? {
        guard let text = reading.characteristic else { return nil }
        guard let uuid = BluetoothUUID(text) else {
            throw ReadingProblem("characteristic is not a UUID: '\(text.prefix(64))'")
        }
        return uuid
    }

    /// Returns the octets of a hexadecimal number; nil if it is invalid or has more than 512 octets. Spaces are
    /// skipped.
    package static func bytes(_ hex: String) -> [UInt8]? {
        let octets = [UInt8](hexDigits: hex.replacing(" ", with: ""))
        return octets.flatMap { $0.count <= 512 ? $0 : nil }
    }
}
