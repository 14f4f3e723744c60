import BluetoothProfiles
import Harald

/// The records that a device keeps, through its Record Access Control Point.
///
/// One request at a time: a device answers a second one with an error until the first one ended.
public struct RecordAccess<Record: GATTValue>: Sendable {
    let peripheral: Peripheral
    let control: DriverAttribute<RecordAccessControlPoint>
    let recordUUIDs: [BluetoothUUID]
    let notifications: @Sendable () async throws(BluetoothError) -> BluetoothStream<Notification>

    /// How many records there are.
    public func count(
        _ records: StoredRecords = .all, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Int {
        let answer = try await request(RecordAccessControlPoint(.count, records), timeout: timeout) { _ in }
        return answer.count ?? 0
    }

    /// The records, in the order in which the device sends them; empty where there are none.
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

    /// Deletes records. What is deleted cannot be got back.
    /// - Returns: whether there were any.
    @discardableResult
    public func delete(
        _ records: StoredRecords, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> Bool {
        try await request(RecordAccessControlPoint(.delete, records), timeout: timeout) { _ in }.response?.code
            != .noRecordsFound
    }

    /// Stops a report that somebody else waits for; that one ends with what it has got.
    public func abort() async throws(BluetoothError) { try await control.write(.abort) }

    /// Everything that belongs to records, such as measurements and their contexts, in the order in which it came.
    func reportNotifications(
        _ records: StoredRecords, timeout: Duration
    ) async throws(BluetoothError) -> [Notification] {
        let uuids = recordUUIDs
        let collected = Collected()
        try await request(RecordAccessControlPoint(.report, records), timeout: timeout) { notification in
            if uuids.contains(notification.characteristic.uuid) { await collected.add(notification) }
        }
        return await collected.all
    }

    private actor Collected {
        var all: [Notification] = []
        func add(_ notification: Notification) { all.append(notification) }
    }

    private func decoded(_ notification: Notification) throws(BluetoothError) -> Record {
        do throws(ValueError) { return try Record(bytes: notification.value) } catch {
            throw BluetoothError(
                .invalidResponse, operation: "decode \(notification.characteristic) of \(peripheral)",
                reason: "\(error)")
        }
    }

    /// Writes a request and waits for its answer; what comes before is handed on.
    @discardableResult
    private func request(
        _ request: RecordAccessControlPoint, timeout: Duration,
        each: @escaping @Sendable (Notification) async -> Void
    ) async throws(BluetoothError) -> RecordAccessControlPoint {
        let stream = try await notifications()
        let (control, uuid, peripheral) = (control, RecordAccessControlPoint.uuid, peripheral)
        let operation = "\(request.opCode.name ?? "access records") of \(peripheral)"
        let answer = try await peripheral.within(timeout, operation) {
            () async throws(BluetoothError) -> RecordAccessControlPoint in
            // Subscriptions are on the link before the request: they were asked for first.
            try await control.write(request)
            for try await notification in stream {
                guard notification.characteristic.uuid == uuid else {
                    await each(notification)
                    continue
                }
                do throws(ValueError) {
                    // The answer to an abort by somebody else ends this request too.
                    return try RecordAccessControlPoint(bytes: notification.value)
                } catch {
                    throw BluetoothError(.invalidResponse, operation: operation, reason: "\(error)")
                }
            }
            throw BluetoothError(.notConnected, operation: operation, reason: "the connection ended")
        }
        if let (_, code) = answer.response {
            // No records are an answer; what was aborted is not completed.
            guard [.success, .noRecordsFound, .procedureNotCompleted].contains(code) else {
                throw BluetoothError(
                    .invalidResponse, operation: operation, reason: code.name ?? "response code \(code.rawValue)")
            }
        }
        return answer
    }
}

extension Driver where Device == GlucoseMeter {
    /// The measurements that the meter keeps.
    public var records: RecordAccess<GlucoseMeasurement> {
        let service = self.glucose
        return RecordAccess(
            peripheral: peripheral, control: service.records,
            recordUUIDs: [GlucoseMeasurement.uuid, GlucoseMeasurementContext.uuid]
        ) { () async throws(BluetoothError) in try await service.notifications() }
    }

    /// Measurements, each with what else is known about it.
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
    /// The measurements that the sensor keeps, by their minutes since the start of the session.
    public var records: RecordAccess<CGMMeasurement> {
        let service = self.glucose
        return RecordAccess(
            peripheral: peripheral, control: service.records, recordUUIDs: [CGMMeasurement.uuid]
        ) { () async throws(BluetoothError) in try await service.notifications() }
    }

    /// Sends a command and waits for its answer.
    @discardableResult
    public func perform(
        _ command: CGMSpecificOpsControlPoint, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) -> CGMSpecificOpsControlPoint {
        let operations = self.glucose.operations
        let stream = try operations.values()
        return try await peripheral.within(timeout, "\(command.opCode.name ?? "command") of \(peripheral)") {
            () async throws(BluetoothError) -> CGMSpecificOpsControlPoint in
            try await operations.write(command)
            for try await answer in stream { return answer }
            throw BluetoothError(.notConnected, operation: "wait for an answer", reason: "the connection ended")
        }
    }
}

extension Driver where Device == PulseOximeter {
    /// The spot-check measurements that the oximeter keeps.
    public var records: RecordAccess<PLXSpotCheckMeasurement> {
        let service = self.oximeter
        return RecordAccess(
            peripheral: peripheral, control: service.records, recordUUIDs: [PLXSpotCheckMeasurement.uuid]
        ) { () async throws(BluetoothError) in try await service.notifications() }
    }
}

extension Driver where Device == HeartRateStrap {
    /// Counts the energy from zero again.
    public func resetEnergyExpended() async throws(BluetoothError) {
        try await self.heartRate.controlPoint.write(HeartRateControlPoint())
    }
}

extension Driver where Device == HealthScale {
    /// Chooses a user, with the code that the scale gave when the user was made.
    public func consent(
        user: UInt8, code: UInt16, timeout: Duration = .seconds(30)
    ) async throws(BluetoothError) {
        let control = self.userData.controlPoint
        let stream = try control.values()
        let operation = "choose user \(user) of \(peripheral)"
        let answer = try await peripheral.within(timeout, operation) {
            () async throws(BluetoothError) -> UserControlPoint in
            try await control.write(.consent(user: user, code: code))
            for try await answer in stream { return answer }
            throw BluetoothError(.notConnected, operation: operation, reason: "the connection ended")
        }
        guard answer.opCode == .response, answer.parameter.count >= 2, answer.parameter[1] == 1 else {
            throw BluetoothError(
                .invalidResponse, operation: operation, reason: "the scale refused", advice: "is the code right?")
        }
    }
}
