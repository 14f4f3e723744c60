import BluetoothProfiles
import Explorer
import Foundation
import Harald
import HaraldDevices

/// Finds SensorTags, connects them and follows their sensors.
actor Dashboard {
    private(set) var state = DashboardState()
    private let central: Central
    private let patience: Duration
    /// The sensors to turn on when a tag is connected.
    private let wanted: Set<SensorTag.Sensor>
    /// The sensors that the user named.
    private let asked: [SensorTag.Sensor]
    private let period: Duration?
    private let calibrates: Bool
    /// Called with every reading.
    private let onReading: @Sendable (SensorTag, SensorTag.Reading) -> Void
    private let note: @Sendable (String) -> Void
    /// Called with messages that the user has to see even without verbose output.
    private let warn: @Sendable (String) -> Void
    /// The number of readings dropped because they were not consumed in time.
    nonisolated let dropped = DropCount()
    /// The tags that have none of the wanted sensors, each with an explanation.
    private(set) var unfit: [PeripheralID: String] = [:]
    private var sessions: [PeripheralID: Task<Void, Never>] = [:]
    private var tags: [PeripheralID: SensorTag] = [:]
    private var peripherals: [PeripheralID: Peripheral] = [:]

    init(
        central: Central, patience: Duration, sensors: [SensorTag.Sensor]?, period: Duration?, calibrates: Bool,
        note: @escaping @Sendable (String) -> Void, warn: @escaping @Sendable (String) -> Void,
        onReading: @escaping @Sendable (SensorTag, SensorTag.Reading) -> Void
    ) {
        self.central = central
        self.patience = patience
        wanted = Set(sensors ?? SensorTag.Sensor.allCases)
        asked = sensors ?? []
        self.period = period
        self.calibrates = calibrates
        self.note = note
        self.warn = warn
        self.onReading = onReading
    }

    /// Scans for tags until the task is cancelled.
    /// - Parameters:
    ///   - connects: true to connect the tags that are found.
    ///   - hearsOthers: true to list other devices too.
    /// - Throws: an error of the scan.
    func look(names: [String], connects: Bool, hearsOthers: Bool = false) async throws {
        let names = names.map { $0.lowercased() }
        let isWanted: @Sendable (ScanResult) -> Bool = { found in
            SensorTag.model(named: found.name) != nil
                && (names.isEmpty || names.contains { found.name?.lowercased().hasPrefix($0) ?? false })
        }
        let filter = ScanFilter(condition: { hearsOthers || isWanted($0) })
        try await central.scanPersistently(filter, report: warn) { found in
            guard isWanted(found) else { return hear(other: found) }
            hear(found)
            if connects, sessions[found.id] == nil, unfit[found.id] == nil { connect(found.id) }
        }
    }

    private func hear(_ found: ScanResult) {
        guard let model = SensorTag.model(named: found.name) else { return }
        peripherals[found.id] = found.peripheral
        state.others.removeAll { $0.id == found.id }
        if !state.tags.contains(where: { $0.id == found.id }) {
            let tag = DashboardState.Tag(
                id: found.id, name: found.name ?? "SensorTag", model: model,
                address: found.peripheral.address?.text ?? "")
            state.tags.append(tag)
            checkSensors(of: tag)
        }
        state.withTag(found.id) { $0.rssi = found.rssi ?? $0.rssi }
    }

    /// The list has the latest of this many other devices.
    private static let otherLimit = 100

    private func hear(other found: ScanResult) {
        // A name that only the scan response has stays.
        let name = found.name ?? state.others.first { $0.id == found.id }?.name
        let other = DashboardState.Other(
            id: found.id, name: name ?? "undisclosed name", address: found.peripheral.address?.text ?? "",
            rssi: found.rssi)
        if let index = state.others.firstIndex(where: { $0.id == found.id }) {
            state.others[index] = other
        } else {
            if state.others.count == Self.otherLimit { state.others.removeFirst() }
            state.others.append(other)
        }
    }

    /// True if a tag was found that has a wanted sensor.
    var hasFitting: Bool { state.tags.contains { unfit[$0.id] == nil } }

    /// Reports the wanted sensors that a new tag does not have.
    private func checkSensors(of tag: DashboardState.Tag) {
        let has = tag.model.sensors
        let missing = asked.filter { !has.contains($0) }
        guard !missing.isEmpty else { return }
        let (lacks, offers) = (missing.map(\.rawValue), has.map(\.rawValue))
        let problem =
            "\(tag.name) (\(tag.model.rawValue)) has no \(lacks.joined(separator: " and no ")) sensor; "
            + "it has \(offers.joined(separator: ", "))"
        if missing.count == asked.count { unfit[tag.id] = problem }
        state.message = problem
        warn(problem)
    }

    // MARK: Connecting

    func connect(_ id: PeripheralID) {
        guard sessions[id] == nil, let peripheral = peripherals[id] else { return }
        state.withTag(id) { $0.link = .connecting }
        sessions[id] = Task { await self.session(peripheral) }
    }

    func disconnect(_ id: PeripheralID) { sessions[id]?.cancel() }

    /// Ends all sessions and turns the sensors off.
    func close() async {
        let all = Array(sessions.values)
        for session in all { session.cancel() }
        for session in all { await session.value }
    }

    private func session(_ peripheral: Peripheral) async {
        let id = peripheral.id
        do {
            try await peripheral.connect(timeout: patience)
            let tag = try await SensorTag(peripheral)
            tags[id] = tag
            state.withTag(id) { entry in
                entry.link = .connected
                entry.sensors = tag.sensors.map { DashboardState.Sensor(sensor: $0) }
            }
            note("\(peripheral) is connected")
            try await follow(tag)
            state.withTag(id) { $0.link = .seen }
        } catch {
            let isCancelled = Task.isCancelled
            state.withTag(id) {
                $0.link = isCancelled ? .seen : .failed("\((error as? BluetoothError)?.reason ?? "\(error)")")
            }
            if !isCancelled { note("\(error)") }
        }
        if let tag = tags[id], peripheral.isConnected {
            let on = state.tags.first { $0.id == id }?.sensors.filter(\.isOn).map(\.sensor) ?? []
            // Turns the sensors off again, to preserve the tag's battery.
            await withoutCancellation { for sensor in on { try? await tag.turnOff(sensor) } }
        }
        await withoutCancellation { await peripheral.disconnect() }
        tags[id] = nil
        sessions[id] = nil
        state.withTag(id) { $0.sensors = [] }
    }

    private func follow(_ tag: SensorTag) async throws {
        for sensor in tag.sensors where wanted.contains(sensor) {
            if let period, sensor != .keys { try await tag.setPeriod(period, of: sensor) }
            try await tag.turnOn(sensor)
            state.withSensor(tag.peripheral.id, sensor) { $0.isOn = true }
        }
        for sensor in tag.sensors where sensor != .keys {
            let period = try? await tag.period(of: sensor)
            state.withSensor(tag.peripheral.id, sensor) { $0.period = period }
        }
        let facts = await TagInformation(of: tag).facts
        state.withTag(tag.peripheral.id) { $0.information = facts }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sensor in tag.sensors {
                let readings = try tag.readings(of: sensor)
                group.addTask {
                    defer { self.dropped.add(readings.droppedCount) }
                    for try await reading in readings { await self.take(reading, of: tag) }
                }
            }
            group.addTask {
                while true {
                    let rssi = try await tag.peripheral.readRSSI()
                    await self.take(rssi: rssi, of: tag)
                    try await tag.peripheral.clock.sleep(for: .seconds(2))
                }
            }
            // The first task to end indicates the end of the link.
            try await group.next()
            group.cancelAll()
        }
    }

    private func take(rssi: Int, of tag: SensorTag) { state.withTag(tag.peripheral.id) { $0.rssi = rssi } }

    private func take(_ reading: SensorTag.Reading, of tag: SensorTag) async {
        var isFirst = false
        state.withSensor(tag.peripheral.id, reading.sensor) { sensor in
            isFirst = sensor.reading == nil
            sensor.reading = reading
            if case .real(let value)? = reading.fields.first?.value { sensor.history.add(value) }
        }
        onReading(tag, reading)
        if isFirst, calibrates, (try? await tag.calibrate(reading.sensor)) == true {
            state.withSensor(tag.peripheral.id, reading.sensor) { $0.isCalibrated = true }
        }
    }

    // MARK: Keys

    func select(tag offset: Int) {
        guard !state.tags.isEmpty else { return }
        state.selectedTag = (state.selectedTag + offset + state.tags.count) % state.tags.count
        state.selectedSensor = 0
    }

    func select(sensor index: Int) {
        if let tag = state.tag, tag.sensors.indices.contains(index) { state.selectedSensor = index }
    }

    func toggleConnection() {
        guard let tag = state.tag else { return }
        if sessions[tag.id] == nil { connect(tag.id) } else { disconnect(tag.id) }
    }

    private var selection: (SensorTag, DashboardState.Sensor)? {
        guard let entry = state.tag, let tag = tags[entry.id], entry.sensors.indices.contains(state.selectedSensor)
        else {
            return nil
        }
        return (tag, entry.sensors[state.selectedSensor])
    }

    func toggleSensor() async {
        guard let (tag, sensor) = selection, sensor.sensor != .keys else { return }
        await attempt {
            if sensor.isOn { try await tag.turnOff(sensor.sensor) } else { try await tag.turnOn(sensor.sensor) }
            await self.changed(tag, sensor.sensor) { $0.isOn = !sensor.isOn }
        }
    }

    func changePeriod(by difference: Duration) async {
        guard let (tag, sensor) = selection, let period = sensor.period else { return }
        let next = SensorPeriod(period + difference)
        await attempt {
            try await tag.setPeriod(next.duration, of: sensor.sensor)
            await self.changed(tag, sensor.sensor) { $0.period = next.duration }
        }
    }

    func calibrate() async {
        guard let (tag, sensor) = selection else { return }
        await attempt {
            if try await tag.calibrate(sensor.sensor) {
                await self.changed(tag, sensor.sensor) { $0.isCalibrated = true }
            } else {
                await self.say("the \(sensor.sensor.rawValue) sensor cannot be calibrated, or has no reading yet")
            }
        }
    }

    private func changed(
        _ tag: SensorTag, _ sensor: SensorTag.Sensor, _ body: @Sendable (inout DashboardState.Sensor) -> Void
    ) { state.withSensor(tag.peripheral.id, sensor, body) }

    private func say(_ text: String) { state.message = text }

    private func attempt(_ body: @Sendable () async throws -> Void) async {
        state.message = ""
        do { try await body() } catch { state.message = "\(error)" }
    }
}
