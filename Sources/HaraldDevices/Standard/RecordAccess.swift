import BluetoothProfiles
import Harald

/// The stored records of a device, accessed through its Record Access Control Point.
///
/// Supports one request at a time. The device answers a second one with an error until the first one has ended.
public struct RecordAccess<Record: GATTValue>: Sendable {
    let peripheral: Peripheral
    let control: DriverAttribute<RecordAccessControlPoint>
    let recordUUIDs: [BluetoothUUID]
    let notifications: @Sendable () async throws(BluetoothError) -> BluetoothStream<CharacteristicUpdate>

    /// Returns the number of stored records.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no control point, `timeout`,
    ///   `notConnected` if the link ends first, `invalidResponse` for an error response, or the error of the write.
    public func count(
        _ records: StoredRecords = .all, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Int {
        let answer = try await request(RecordAccessControlPoint(.count, records), timeout: timeout) { _ in }
        return answer.count ?? 0
    }

    /// Returns the records in the order in which the device sends them; empty if there are none.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no control point, `timeout`,
    ///   `notConnected` if the link ends first, `invalidResponse` for an error response or a record that does not
    ///   decode, or the error of the write.
    public func report(
        _ records: StoredRecords = .all, timeout: Duration = .seconds(120)
    ) async throws(BluetoothError) -> [Record] {
        var values: [Record] = []
        for notification in try await reportNotifications(records, timeout: timeout)
        where notification.characteristic.uuid == recordUUIDs.first {
            values.append(try decoded(notification))
        }
        return values
    }

    /// Deletes records permanently.
    /// - Returns: False if the device reports that no records match.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no control point, `timeout`,
    ///   `notConnected` if the link ends first, `invalidResponse` for an error response, or the error of the write.
    @discardableResult
    public func delete(
        _ records: StoredRecords, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Bool {
        try await request(RecordAccessControlPoint(.delete, records), timeout: timeout) { _ in }.response?.code
            != .noRecordsFound
    }

    /// Aborts the report that another task waits for. That report returns the records received until then.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no control point, or the error of the
    ///   write.
    public func abort() async throws(BluetoothError) { try await control.write(.abort) }

    /// Returns all notifications that belong to records, such as measurements and their contexts, in order of arrival.
    func reportNotifications(
        _ records: StoredRecords, timeout: Duration
    ) async throws(BluetoothError) -> [CharacteristicUpdate] {
        let uuids = recordUUIDs
        let collected = Collected()
        try await request(RecordAccessControlPoint(.report, records), timeout: timeout) { notification in
            if uuids.contains(notification.characteristic.uuid) { await collected.add(notification) }
        }
        return await collected.all
    }

    private actor Collected {
        var all: [CharacteristicUpdate] = []
        func add(_ notification: CharacteristicUpdate) { all.append(notification) }
    }

    private func decoded(_ notification: CharacteristicUpdate) throws(BluetoothError) -> Record {
        do throws(ValueError) { return try Record(bytes: notification.value) } catch {
            throw BluetoothError(
                .invalidResponse, operation: "decode \(notification.characteristic) of \(peripheral)",
                reason: "\(error)")
        }
    }

    /// Writes a request and waits for its response. Notifications before it are passed to `each`.
    @discardableResult
    private func request(
        _ request: RecordAccessControlPoint, timeout: Duration,
        each: @escaping @Sendable (CharacteristicUpdate) async -> Void
    ) async throws(BluetoothError) -> RecordAccessControlPoint {
        let stream = try await notifications()
        let (control, uuid, peripheral) = (control, RecordAccessControlPoint.uuid, peripheral)
        let operation = "\(request.opCode.name ?? "access records") of \(peripheral)"
        let answer = try await peripheral.withTimeout(timeout, operation) {
            () async throws(BluetoothError) -> RecordAccessControlPoint in
            var procedure = RecordProcedure(request)
            // The subscriptions were requested first, so they are active on the link before the request.
            try await control.write(procedure.request)
            for try await notification in stream {
                guard notification.characteristic.uuid == uuid else {
                    await each(notification)
                    continue
                }
                let response: RecordAccessControlPoint
                do throws(ValueError) { response = try RecordAccessControlPoint(bytes: notification.value) } catch {
                    throw BluetoothError(.invalidResponse, operation: operation, reason: "\(error)")
                }
                switch procedure.receiveResponse(response) {
                case .request(let next, _): try await control.write(next)
                // The response to another task's abort ends this request too.
                case .end: return response
                }
            }
            throw BluetoothError(.notConnected, operation: operation, reason: "the connection ended")
        }
        if let (_, code) = answer.response {
            // `procedureNotCompleted` is the result of an aborted request.
            guard code.isComplete || code == .procedureNotCompleted else {
                throw BluetoothError(
                    .invalidResponse, operation: operation, reason: code.name ?? "response code \(code.rawValue)")
            }
        }
        return answer
    }
}

extension Driver where Device == GlucoseMeter {
    /// The measurements that the meter stores.
    public var records: RecordAccess<GlucoseMeasurement> {
        let service = self.glucose
        return RecordAccess(
            peripheral: peripheral, control: service.records,
            recordUUIDs: [GlucoseMeasurement.uuid, GlucoseMeasurementContext.uuid]
        ) { () async throws(BluetoothError) in try await service.notifications() }
    }

    /// Returns the measurements, each with its context if it has one.
    /// - Throws: ``BluetoothError`` as ``RecordAccess/report(_:timeout:)`` does.
    public func measurements(
        _ records: StoredRecords = .all, timeout: Duration = .seconds(120)
    ) async throws(BluetoothError) -> [(measurement: GlucoseMeasurement, context: GlucoseMeasurementContext?)] {
        var result: [(measurement: GlucoseMeasurement, context: GlucoseMeasurementContext?)] = []
        for notification in try await self.records.reportNotifications(records, timeout: timeout) {
            do throws(ValueError) {
                if notification.characteristic.uuid == GlucoseMeasurement.uuid {
                    result.append((try GlucoseMeasurement(bytes: notification.value), nil))
                } else {
                    let context = try GlucoseMeasurementContext(bytes: notification.value)
                    let place = result.lastIndex { $0.measurement.sequenceNumber == context.sequenceNumber }
                    if let place { result[place].context = context }
                }
            } catch {
                throw BluetoothError(
                    .invalidResponse, operation: "decode \(notification.characteristic) of \(peripheral)",
                    reason: "\(error)")
            }
        }
        return result
    }
}

extension Driver where Device == ContinuousGlucoseMonitor {
    /// The measurements that the sensor stores, identified by minutes since the start of the session.
    public var records: RecordAccess<CGMMeasurement> {
        let service = self.glucose
        return RecordAccess(
            peripheral: peripheral, control: service.records, recordUUIDs: [CGMMeasurement.uuid]
        ) { () async throws(BluetoothError) in try await service.notifications() }
    }

    /// Writes a command and returns the response to it. The response code is not checked.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no CGM Specific Ops Control Point,
    ///   `timeout`, `notConnected` if the link ends first, `invalidResponse` for a response that does not decode, or
    ///   the error of the write.
    @discardableResult
    public func perform(
        _ command: CGMSpecificOpsControlPoint, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> CGMSpecificOpsControlPoint {
        let operations = self.glucose.operations
        let stream = try operations.values()
        return try await peripheral.withTimeout(timeout, "\(command.opCode.name ?? "command") of \(peripheral)") {
            () async throws(BluetoothError) -> CGMSpecificOpsControlPoint in
            try await operations.write(command)
            for try await answer in stream { return answer }
            throw BluetoothError(.notConnected, operation: "wait for a response", reason: "the connection ended")
        }
    }
}

extension Driver where Device == PulseOximeter {
    /// The spot-check measurements that the oximeter stores.
    public var records: RecordAccess<PLXSpotCheckMeasurement> {
        let service = self.oximeter
        return RecordAccess(
            peripheral: peripheral, control: service.records, recordUUIDs: [PLXSpotCheckMeasurement.uuid]
        ) { () async throws(BluetoothError) in try await service.notifications() }
    }
}

extension Driver where Device == HeartRateStrap {
    /// Resets the expended energy to zero.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the device has no control point, or the error of the
    ///   write.
    public func resetEnergyExpended() async throws(BluetoothError) {
        try await self.heartRate.controlPoint.write(HeartRateControlPoint())
    }
}

extension Driver where Device == HealthScale {
    /// Selects a user, with the consent code that was set when the user was registered.
    /// - Throws: ``BluetoothError`` with the code `notFound` if the scale has no User Control Point, `timeout`,
    ///   `notConnected` if the link ends first, `invalidResponse` if the scale refuses or its response does not decode,
    ///   or the error of the write.
    public func consent(
        user: UInt8, code: UInt16, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) {
        let control = self.userData.controlPoint
        let stream = try control.values()
        let operation = "select user \(user) of \(peripheral)"
        let answer = try await peripheral.withTimeout(timeout, operation) {
            () async throws(BluetoothError) -> UserControlPoint in
            try await control.write(.consent(user: user, code: code))
            for try await answer in stream { return answer }
            throw BluetoothError(.notConnected, operation: operation, reason: "the connection ended")
        }
        guard answer.opCode == .response, answer.parameter.count >= 2, answer.parameter[1] == 1 else {
            throw BluetoothError(
                .invalidResponse, operation: operation, reason: "the scale refused",
                advice: "is the consent code correct?")
        }
    }
}
