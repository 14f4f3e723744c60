import BluetoothProfiles
import Foundation
import Harald
import HaraldDevices
import HealthHub

/// The values of a service with measurements, and its stored records.
extension HealthMonitor {
    /// The services of cycling and running sensors, whose measurements are no kind of the hub, and their
    /// characteristics.
    private static let sports: [BluetoothUUID: BluetoothUUID] = [
        "1816": CSCMeasurement.uuid, "1814": RSCMeasurement.uuid,
    ]

    static let services = Set(MeasurementKind.allCases.flatMap(\.services)).union(sports.keys)

    /// Returns true for a measurement. Intermediate values, such as the cuff pressure, do not count.
    static func isMeasurement(_ uuid: BluetoothUUID) -> Bool {
        MeasurementKind.of(uuid) != nil || sports.values.contains(uuid)
    }

    /// Requests stored records if the service keeps them, and processes values in the order of their arrival:
    /// measurements with their context, and at last the response that all stored records were sent.
    func follow(
        _ service: Service, _ values: BluetoothStream<CharacteristicUpdate>, _ facts: DeviceFacts, _ visits: Visits
    ) async throws {
        defer { dropped.add(values.droppedCount) }
        let peripheral = service.peripheral
        let control = service.recordControl
        /// The report of the stored records; nil if the service stores none.
        var procedure: RecordProcedure?
        /// True after a measurement that was not received before. Its context may equal that of an earlier one.
        var isNew = false
        /// The fields of the last measurement of a glucose meter, whose context follows it.
        var measured: [Field] = []
        if let control {
            let wanted = await visits.wanted(peripheral.id)
            // Continuous monitors restart the count of minutes in every session, and oximeters do not number records.
            let begun = RecordProcedure(resuming: service.uuid == "1808" ? wanted : .all)
            procedure = begun
            try await control.write(begun.request)
        }
        for try await notification in values {
            var next: RecordAccessControlPoint?
            if notification.characteristic.uuid == RecordAccessControlPoint.uuid {
                let answer = try? RecordAccessControlPoint(bytes: notification.value)
                let code = answer?.response?.code
                switch procedure?.receiveResponse(answer) {
                case .request(let request, let isFirstSign):
                    if isFirstSign { await visits.restart(peripheral.id) }
                    next = request
                case .end:
                    if code?.isComplete == true {
                        await visits.endRecords(peripheral.id, areNumbered: service.uuid == "1808")
                    }
                case nil: break
                }
                if let code, code != .success {
                    note("\(peripheral): \(code.name ?? "response \(code.rawValue)")")
                }
            } else if Self.isMeasurement(notification.characteristic.uuid) {
                let parts = parts(of: notification)
                // A continuous measurement is never stored, and repeats equal values.
                let isOngoing = notification.characteristic.uuid == PLXContinuousMeasurement.uuid
                let isRecord = procedure != nil && !isOngoing
                var isKnown = isRecord ? await visits.knows(notification.value, peripheral.id) : false
                if notification.characteristic.uuid == GlucoseMeasurement.uuid {
                    isNew = !isKnown
                    measured = parts.first?.fields ?? []
                }
                if isNew, notification.characteristic.uuid == GlucoseMeasurementContext.uuid { isKnown = false }
                if procedure?.receiveRecord(isKnown: isKnown) == true { await visits.restart(peripheral.id) }
                let isStored = procedure?.isInProgress
                if !isKnown || isStored != true {
                    try await take(
                        parts, of: notification.characteristic,
                        isStored: procedure != nil && isOngoing ? false : isStored, after: measured, facts, visits)
                    if isRecord { await visits.took(notification.value, peripheral.id) }
                }
            }
            // Confirmed only now: the device may delete a value once it is confirmed.
            notification.confirmation?.confirm()
            // The device sends all records; `Visits` filters the repeated ones.
            if let next, let control { try await control.write(next) }
        }
    }

    /// Emits each reading of a value.
    /// - Parameter measured: the fields of the last measurement of a glucose meter.
    /// - Throws: the error of ``emit``.
    private func take(
        _ parts: [Part], of characteristic: Characteristic, isStored: Bool?, after measured: [Field],
        _ facts: DeviceFacts, _ visits: Visits
    ) async throws {
        let peripheral = characteristic.peripheral
        for part in parts {
            var time = MonitorReading.deviceTime(in: part.fields)
            for case .integer(let minutes) in part.fields.filter({ $0.name == "timeOffset" }).map(\.value)
            where characteristic.uuid == CGMMeasurement.uuid {
                time = facts.sessionStart?.adding(seconds: Int64(minutes) * 60)
            }
            if characteristic.uuid == GlucoseMeasurementContext.uuid {
                time = Self.time(ofContext: part.fields, after: measured)
            }
            try await emit(
                MonitorReading(
                    time: .now, device: peripheral.id, deviceName: peripheral.name, uuid: characteristic.uuid,
                    measurement: characteristic.name ?? characteristic.uuid.description, fields: part.fields,
                    isStored: isStored, bytes: part.bytes, facts: facts, deviceTime: time, gateway: gateway,
                    isSimulated: isSimulated))
            for case .integer(let number) in part.fields.filter({ $0.name == "sequenceNumber" }).map(\.value) {
                await visits.got(UInt16(truncatingIfNeeded: number), peripheral.id)
            }
        }
    }

    /// Returns the time of the measurement to which a context belongs, on the device's clock: that of the measurement
    /// before it, if both have one number. A meter that was reset uses its numbers again.
    static func time(ofContext fields: [Field], after measured: [Field]) -> DateTime? {
        func number(_ fields: [Field]) -> FieldValue? { fields.first { $0.name == "sequenceNumber" }?.value }
        guard let own = number(fields), own == number(measured) else { return nil }
        return MonitorReading.deviceTime(in: measured)
    }

    /// A reading in a value.
    private struct Part {
        var bytes: [UInt8]
        var fields: [Field]
    }

    /// Decodes a value, and splits it into readings: a continuous glucose monitor sends several in one value, each
    /// preceded by its length (Continuous Glucose Monitoring Service 1.0.2, 3.1.1.1). A value that cannot be decoded is
    /// one reading with its octets and without fields: the device may delete it.
    private func parts(of update: CharacteristicUpdate) -> [Part] {
        let (bytes, characteristic) = (update.value, update.characteristic)
        do throws(ValueError) {
            let fields = try Profiles.fieldsWithUnknownTimes(of: bytes, uuid: characteristic.uuid) ?? []
            guard characteristic.uuid == CGMMeasurement.uuid, case .list(let records)? = fields.first?.value else {
                return [Part(bytes: bytes, fields: fields)]
            }
            var rest = bytes[...]
            return records.map { record in
                let size = Int(rest.first ?? 0)
                defer { rest = rest.dropFirst(size) }
                let fields: [Field] = if case .group(let fields) = record { fields } else { [] }
                return Part(bytes: Array(rest.prefix(size)), fields: fields)
            }
        } catch {
            // One invalid value does not end the visit.
            note("\(characteristic.peripheral): \(characteristic): \(error) in \(bytes.hexText(separator: " "))")
            return [Part(bytes: bytes, fields: [])]
        }
    }
}

extension Service {
    /// The control point of a service that stores records.
    var recordControl: Characteristic? {
        characteristics.first { $0.uuid == RecordAccessControlPoint.uuid }
    }
}
