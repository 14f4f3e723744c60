import BluetoothProfiles
import Foundation
import Harald
import HaraldDevices

/// SensorTags: switching, configuring, calibrating and following their sensors.
extension ExplorerModel {
    /// Returns the discovered SensorTags, in the order of discovery.
    package func sensorTags() -> [TagReport] {
        records.values.sorted { $0.order < $1.order }.compactMap { tagReport($0.peripheral.id) }
    }

    /// Returns a SensorTag; nil if the device is unknown or not a SensorTag.
    package func sensorTag(_ id: PeripheralID) -> TagReport? { tagReport(id) }

    /// Connects a SensorTag on behalf of a viewer, discovers its sensors and reads its device information. Subscribes
    /// to its keys; its signal strength is read periodically.
    /// - Throws: `BluetoothError` with `notFound` if no such SensorTag was discovered, or an error of connecting,
    ///   discovery or subscription.
    @discardableResult
    package func connectTag(_ id: PeripheralID, for viewer: ViewerID) async throws(BluetoothError) -> TagReport {
        guard let model = records[id].flatMap({ SensorTag.model(named: $0.name) }) else { throw Self.noTag(id) }
        try await connect(id, for: viewer, reconnects: false)
        let session = try await session(id)
        let peripheral = session.peripheral
        do throws(BluetoothError) {
            try await discover(session, for: viewer)
            if session.tag == nil {
                let tag = try await SensorTag(peripheral, model: model)
                let found = session.tag ?? TagSession(tag)
                session.tag = found
                try await learn(found)
            }
            if let keys = session.tag?.characteristic(.keys) {
                try await subscribe(id, handle: keys.valueHandle.rawValue, for: viewer)
            }
        } catch {
            await release(session, viewer)
            note(.sensortag, error, device: id)
            throw error
        }
        note(.sensortag, "its sensors were discovered", device: id)
        return try report(id)
    }

    /// Switches a sensor on or off, and sets its measurement period. The viewer is subscribed to a sensor that is
    /// switched on.
    /// - Throws: `BluetoothError` with `notFound` for an unknown SensorTag or sensor, `notConnected`, or an error of a
    ///   write or of the subscription.
    @discardableResult
    package func setSensor(
        _ sensor: SensorTag.Sensor, of id: PeripheralID, isOn: Bool? = nil, period: Duration? = nil,
        for viewer: ViewerID
    ) async throws(BluetoothError) -> TagReport {
        let (session, found) = try await tagSession(id)
        let tag = found.tag
        try check(sensor, of: tag)
        do throws(BluetoothError) {
            if let period {
                try await tag.setPeriod(period, of: sensor)
                found.sensors[sensor]?.period = SensorPeriod(period).duration
            }
            if let isOn, sensor != .keys {
                if isOn { try await tag.turnOn(sensor) } else { try await tag.turnOff(sensor) }
                found.sensors[sensor]?.isOn = isOn
                if sensor == .barometer, isOn, tag.model == .cc2541 { found.sensors[sensor]?.isCalibrated = true }
                if let handle = found.characteristic(sensor)?.valueHandle.rawValue {
                    if isOn {
                        try await subscribe(id, handle: handle, for: viewer)
                    } else {
                        for viewer in session.subscriptions[handle]?.viewers.holders ?? [] {
                            unsubscribe(session, handle, viewer)
                        }
                    }
                }
            }
        } catch {
            note(.sensortag, error, device: id)
            throw error
        }
        let state = isOn.map { $0 ? ", on" : ", off" } ?? ""
        let often = period.map { ", every \(SensorPeriod($0).duration / .seconds(1)) s" } ?? ""
        note(.sensortag, sensor.rawValue + state + often, device: id)
        return try report(id)
    }

    /// Calibrates a sensor: its current reading becomes zero; the barometer reads its calibration again.
    /// - Throws: `BluetoothError` with `notFound` for an unknown SensorTag or sensor, `notConnected`, `unsupported` if
    ///   there is nothing to calibrate or no reading yet, or an error of the operation.
    @discardableResult
    package func calibrateSensor(
        _ sensor: SensorTag.Sensor, of id: PeripheralID
    ) async throws(BluetoothError) -> TagReport {
        let (_, found) = try await tagSession(id)
        try check(sensor, of: found.tag)
        let isDone = try await found.tag.calibrate(sensor)
        guard isDone else {
            throw BluetoothError(
                .unsupported, operation: "calibrate \(sensor.rawValue)",
                reason: "the sensor cannot be calibrated, or has no reading yet",
                advice: "switch it on and wait for a reading")
        }
        found.sensors[sensor]?.isCalibrated = true
        note(.sensortag, "\(sensor.rawValue) calibrated", device: id)
        return try report(id)
    }

    // MARK: Inside

    private static func noTag(_ id: PeripheralID) -> BluetoothError {
        BluetoothError(
            .notFound, operation: "find SensorTag \(id)", reason: "no SensorTag with this identifier was found",
            advice: "press the key on its side to make it advertise")
    }

    private func check(_ sensor: SensorTag.Sensor, of tag: SensorTag) throws(BluetoothError) {
        guard tag.sensors.contains(sensor) else {
            throw BluetoothError(
                .notFound, operation: "use the \(sensor.rawValue) sensor",
                reason: "the \(tag.model.rawValue) does not have it",
                advice: "it has \(tag.sensors.map(\.rawValue).joined(separator: ", "))")
        }
    }

    private func tagSession(_ id: PeripheralID) async throws(BluetoothError) -> (DeviceSession, TagSession) {
        guard records[id].flatMap({ SensorTag.model(named: $0.name) }) != nil else { throw Self.noTag(id) }
        let session = try await session(id)
        guard let tag = session.tag else {
            let reason = session.phase == .connected ? "its sensors are not known" : "it is not connected"
            throw BluetoothError(
                .notConnected, operation: "use SensorTag \(session.peripheral)", reason: reason,
                advice: "connect it as a SensorTag first")
        }
        return (session, tag)
    }

    private func learn(_ found: TagSession) async throws(BluetoothError) {
        for sensor in found.tag.sensors where sensor != .keys {
            found.sensors[sensor]?.period = try? await found.tag.period(of: sensor)
            found.sensors[sensor]?.isOn = (try? await found.tag.isOn(sensor)) ?? false
        }
        found.information = await TagInformation(of: found.tag)
    }

    private func report(_ id: PeripheralID) throws(BluetoothError) -> TagReport {
        guard let report = tagReport(id) else { throw Self.noTag(id) }
        return report
    }

    private func tagReport(_ id: PeripheralID) -> TagReport? {
        guard let record = records[id], let model = SensorTag.model(named: record.name) else { return nil }
        let session = sessions[id] ?? DeviceSession(record.peripheral, at: record.firstSeen)
        let connection = report(session)
        let sensors = session.tag.map { found in
            found.tag.sensors.map { sensor in
                let state = found.sensors[sensor] ?? .init()
                return TagReport.Sensor(
                    sensor: sensor, isOn: state.isOn, period: state.period,
                    isCalibratable: [.gyroscope, .magnetometer].contains(sensor)
                        || sensor == .barometer && model == .cc2541,
                    isCalibrated: state.isCalibrated, handle: found.characteristic(sensor)?.valueHandle.rawValue,
                    reading: state.reading?.value, readingTime: state.reading?.time)
            }
        }
        return TagReport(
            id: id, name: record.name, model: model, address: record.peripheral.address?.text, rssi: record.rssi,
            connection: connection, isPairing: session.operations.contains(where: \.isPairing), sensors: sensors ?? [],
            information: session.tag?.information)
    }
}
