#if Programs
import BluetoothProfiles
import Foundation
import Harald
import HaraldDevices

/// Waits for health devices, and gets from each what it has measured.
struct HealthMonitor: Sendable {
    /// Which devices, by the beginning of their names; empty for all that measure something known.
    var names: [String] = []
    /// Whether devices are paired with before anything else, and not only where they ask for it.
    var pairsFirst = false
    /// Whether their clocks are set.
    var setsClocks = true
    let central: Central
    let patience: Duration
    let note: @Sendable (String) -> Void
    let emit: @Sendable (MonitorReading) -> Void
    /// Values that were dropped because they came faster than they were taken.
    let dropped = DropCount()

    /// The services that are known to measure something.
    static let services: [BluetoothUUID] = [
        "180D", "1809", "1810", "1808", "181F", "181D", "181B", "1822", "1816", "1814",
    ]
    /// What measurements come in; what is still going on, such as the pressure in a cuff, is none.
    private static let measurements: [any CharacteristicType.Type] = [
        HeartRateMeasurement.self, TemperatureMeasurement.self, BloodPressureMeasurement.self, GlucoseMeasurement.self,
        GlucoseMeasurementContext.self, CGMMeasurement.self, WeightMeasurement.self, BodyCompositionMeasurement.self,
        PLXSpotCheckMeasurement.self, PLXContinuousMeasurement.self, CSCMeasurement.self, RSCMeasurement.self,
    ]
    /// How long a device is left alone after a visit failed.
    private static let rest = Duration.seconds(5)

    /// Goes on until its task is cancelled.
    func run() async throws {
        let visits = Visits()
        let names = names.map { $0.lowercased() }
        let filter = ScanFilter(condition: { found in
            guard found.isConnectable else { return false }
            if !names.isEmpty {
                return names.contains { found.name?.lowercased().hasPrefix($0) ?? false }
            }
            return found.services.contains(where: Self.services.contains) || VendorKind(found) != nil
        })
        try await withThrowingDiscardingTaskGroup { group in
            for try await found in central.scan(filter: filter, duplicates: true) {
                guard await visits.begin(found.id) else { continue }
                group.addTask {
                    let isWell = await visit(found, visits)
                    await visits.end(found.id, rest: isWell ? .zero : Self.rest)
                }
            }
        }
    }

    /// Who is being visited, and what was got from whom.
    private actor Visits {
        private var busy: Set<PeripheralID> = []
        private var restUntil: [PeripheralID: ContinuousClock.Instant] = [:]
        private var lastRecord: [PeripheralID: UInt16] = [:]
        /// Values of devices that keep records, so that none is shown twice.
        private var shown: [PeripheralID: Set<[UInt8]>] = [:]
        /// How many of them are remembered of a device; who keeps more is heard again.
        private static let mostShown = 65536

        func begin(_ id: PeripheralID) -> Bool {
            if let until = restUntil[id], ContinuousClock.now < until { return false }
            return busy.insert(id).inserted
        }

        func end(_ id: PeripheralID, rest: Duration) {
            busy.remove(id)
            restUntil[id] = ContinuousClock.now + rest
        }

        /// The records that were not got yet.
        func wanted(_ id: PeripheralID) -> StoredRecords {
            lastRecord[id].map { $0 == .max ? .last : .atLeast($0 + 1) } ?? .all
        }

        /// Whether a value of a device did not come before.
        func isNew(_ value: [UInt8], _ id: PeripheralID) -> Bool {
            var values = shown.removeValue(forKey: id) ?? []
            if values.count >= Self.mostShown { values = [] }
            defer { shown[id] = values }
            return values.insert(value).inserted
        }

        func got(_ number: UInt16, _ id: PeripheralID) { lastRecord[id] = max(number, lastRecord[id] ?? 0) }
    }

    /// The vendor's devices, which advertise no service.
    private enum VendorKind {
        case scale, bloodPressure

        init?(_ found: Discovery) {
            if VendorScale.matches(found) {
                self = .scale
            } else if VendorBloodPressureMonitor.matches(found) {
                self = .bloodPressure
            } else {
                return nil
            }
        }
    }

    /// - Returns: whether it ended as visits should.
    private func visit(_ found: Discovery, _ visits: Visits) async -> Bool {
        let peripheral = found.peripheral
        do {
            note("\(peripheral) is there: connecting")
            try await peripheral.connect(timeout: patience)
            if pairsFirst { try await peripheral.pair() }
            switch VendorKind(found) {
            case .scale:
                try await listen(
                    to: VendorReadings<VendorScaleReading>(peripheral, clock: clock), of: peripheral, "Weight")
            case .bloodPressure:
                try await listen(
                    to: VendorReadings<VendorBloodPressureReading>(peripheral, clock: clock), of: peripheral,
                    "Blood Pressure")
            case nil: try await listen(to: peripheral, visits)
            }
            await withoutCancellation { await peripheral.disconnect() }
            note("\(peripheral) ended the connection")
            return true
        } catch {
            await withoutCancellation { await peripheral.disconnect() }
            // A device that has said everything switches off.
            if let error = error as? BluetoothError, case .disconnected = error.code {
                note("\(peripheral) is gone")
                return true
            }
            if !Task.isCancelled { note("\(error)") }
            return false
        }
    }

    private var clock: DateTime? { setsClocks ? DateTime(local: Date.now) : nil }

    // MARK: Vendors

    private func listen<Reading: VendorReading>(
        to readings: VendorReadings<Reading>, of peripheral: Peripheral, _ what: String
    ) async throws {
        defer { dropped.add(readings.droppedCount) }
        var isStored = true
        for try await event in readings {
            switch event {
            case .reading(let reading):
                emit(
                    MonitorReading(
                        time: .now, device: peripheral.id, deviceName: peripheral.name, measurement: what,
                        fields: try reading.fields(), isStored: isStored))
            case .storedReadingsEnd: isStored = false
            case .dropped(let dropped): note("\(peripheral): \(dropped)")
            case .unknown(let frame):
                note("\(peripheral): a frame without a meaning, \(frame.bytes.hexText(separator: " "))")
            }
        }
    }

    // MARK: Standard services

    private func listen(to peripheral: Peripheral, _ visits: Visits) async throws {
        let services = try await peripheral.discoverServices(timeout: patience)
        for service in services where Self.services.contains(service.uuid) || service.uuid == "1805" {
            try await service.discoverCharacteristics(timeout: patience)
        }
        if let clock {
            do throws(BluetoothError) {
                if try await peripheral.setClock(clock) { note("\(peripheral): its clock is set") }
            } catch {
                // Not every clock may be set; the measurements count.
                guard peripheral.isConnected else { throw error }
                note("\(error)")
            }
        }
        let measuring = services.filter { service in
            service.characteristics.contains { Self.isMeasurement($0.uuid) && $0.canSend }
        }
        guard !measuring.isEmpty else {
            throw ProgramError(.notFound, "\(peripheral) has nothing that measures")
        }
        // Subscribed here, one after the other, so that all begin before records are asked for.
        var streams: [(Service, BluetoothStream<Harald.Notification>)] = []
        for service in measuring {
            streams.append((service, try await service.notifications(buffering: .newest(65536))))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (service, values) in streams { group.addTask { try await follow(service, values, visits) } }
            // All end with the link; an error ends all.
            try await group.waitForAll()
        }
    }

    private static func isMeasurement(_ uuid: BluetoothUUID) -> Bool { measurements.contains { $0.uuid == uuid } }

    /// Asks for what is stored where the service keeps records, and shows what comes, in the order in which it comes: a
    /// measurement, what belongs to it, and at last the word that no more is stored.
    private func follow(
        _ service: Service, _ values: BluetoothStream<Harald.Notification>, _ visits: Visits
    ) async throws {
        defer { dropped.add(values.droppedCount) }
        let peripheral = service.peripheral
        let control = service.characteristics.first { $0.uuid == RecordAccessControlPoint.uuid }
        var isStored: Bool?
        if let control {
            let wanted = await visits.wanted(peripheral.id)
            // Continuous monitors count minutes anew in every session, and oximeters count nothing.
            let records = service.uuid == "1808" ? wanted : .all
            isStored = true
            try await control.write(RecordAccessControlPoint(.report, records))
        }
        for try await notification in values {
            if notification.characteristic.uuid == RecordAccessControlPoint.uuid {
                isStored = false
                let answer = try? RecordAccessControlPoint(bytes: notification.value)
                if let code = answer?.response?.code, code != .success {
                    note("\(peripheral): \(code.name ?? "response \(code.rawValue)")")
                }
            } else if Self.isMeasurement(notification.characteristic.uuid) {
                // What goes on is never stored, and says the same again and again.
                let isOngoing = notification.characteristic.uuid == PLXContinuousMeasurement.uuid
                if control != nil, !isOngoing {
                    let isNew = await visits.isNew(notification.value, peripheral.id)
                    if isStored == true, !isNew { continue }
                }
                await show(
                    notification.value, of: notification.characteristic,
                    isStored: control != nil && isOngoing ? false : isStored, visits)
            }
        }
    }

    /// The fields of each reading in a value: a continuous glucose monitor sends several at once.
    private static func readings(in bytes: [UInt8], of uuid: BluetoothUUID) throws(ValueError) -> [[Field]] {
        guard uuid == CGMMeasurement.uuid else { return [try Profiles.fields(of: bytes, uuid: uuid) ?? []] }
        var readings: [[Field]] = []
        for record in try CGMMeasurement(bytes: bytes).records { readings.append(try record.fields()) }
        return readings
    }

    private func show(_ bytes: [UInt8], of characteristic: Characteristic, isStored: Bool?, _ visits: Visits) async {
        let peripheral = characteristic.peripheral
        do throws(ValueError) {
            for fields in try Self.readings(in: bytes, of: characteristic.uuid) {
                for field in fields where field.name == "sequenceNumber" {
                    if case .integer(let number) = field.value { await visits.got(UInt16(number), peripheral.id) }
                }
                emit(
                    MonitorReading(
                        time: .now, device: peripheral.id, deviceName: peripheral.name, uuid: characteristic.uuid,
                        measurement: characteristic.name ?? characteristic.uuid.description, fields: fields,
                        isStored: isStored))
            }
        } catch {
            // One bad value is no reason to miss the next.
            note("\(peripheral): \(characteristic): \(error) in \(bytes.hexText(separator: " "))")
        }
    }
}

extension Characteristic {
    /// Whether it sends values by itself.
    fileprivate var canSend: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

extension DateTime {
    /// What a clock on the wall shows.
    init(local date: Date) {
        let parts = Calendar.current.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        self.init(
            UInt16(clamping: parts.year ?? 0), UInt8(clamping: parts.month ?? 0), UInt8(clamping: parts.day ?? 0),
            UInt8(clamping: parts.hour ?? 0), UInt8(clamping: parts.minute ?? 0), UInt8(clamping: parts.second ?? 0))
    }
}
#endif
