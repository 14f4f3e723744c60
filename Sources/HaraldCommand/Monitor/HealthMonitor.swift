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
    /// Takes a reading. Only when it has returned, the device hears that the reading arrived; what it throws ends the visit,
    /// and the device keeps the reading.
    let emit: @Sendable (MonitorReading) async throws -> Void
    /// Name of the program's machine.
    var gateway: String?
    /// The devices live on a virtual air.
    var isSimulated = false
    /// How long a device is left alone after a visit failed.
    var rest = Duration.seconds(5)
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
                    await visits.end(found.id, rest: isWell ? .zero : rest)
                }
            }
        }
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
            let services = try await peripheral.discoverServices(timeout: patience)
            let facts = try await peripheral.facts(patience: patience)
            switch VendorKind(found) {
            case .scale:
                try await listen(to: VendorScaleReading.self, of: peripheral, "Weight", facts)
            case .bloodPressure:
                try await listen(to: VendorBloodPressureReading.self, of: peripheral, "Blood Pressure", facts)
            case nil: try await listen(to: peripheral, services, facts, visits)
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
        to type: Reading.Type, of peripheral: Peripheral, _ what: String, _ facts: DeviceFacts
    ) async throws {
        var facts = facts
        // The protocol sets a clock and does not read it.
        if let clock { facts.clock.set = clock.secondsSince1970.map { (.now, $0) } }
        let readings = try await VendorReadings<Reading>(peripheral, clock: clock, acknowledges: false)
        defer { dropped.add(readings.droppedCount) }
        var isStored = true
        for try await event in readings {
            switch event {
            case .reading(let reading):
                try await emit(
                    MonitorReading(
                        time: .now, device: peripheral.id, deviceName: peripheral.name, measurement: what,
                        fields: try reading.fields(), isStored: isStored, facts: facts, deviceTime: reading.time,
                        gateway: gateway, isSimulated: isSimulated))
                try await readings.acknowledge(reading)
            case .storedReadingsEnd: isStored = false
            case .dropped(let dropped): note("\(peripheral): \(dropped)")
            case .unknown(let frame):
                note("\(peripheral): a frame without a meaning, \(frame.bytes.hexText(separator: " "))")
            }
        }
    }

    // MARK: Standard services

    private func listen(
        to peripheral: Peripheral, _ services: [Service], _ known: DeviceFacts, _ visits: Visits
    ) async throws {
        for service in services where Self.services.contains(service.uuid) || service.uuid == "1805" {
            try await service.discoverCharacteristics(timeout: patience)
        }
        var facts = known
        // The old clock is read before it is set: times of stored readings are mapped with its offset.
        facts.clock.before = try await peripheral.clockOffset(patience: patience)
        if let service = services.first(where: { $0.uuid == "181F" }),
            let bytes = try await peripheral.known(CGMSessionStartTime.uuid, in: service, patience)
        {
            facts.sessionStart = (try? CGMSessionStartTime(bytes: bytes))?.time
        }
        if let clock {
            do throws(BluetoothError) {
                if try await peripheral.setClock(clock) {
                    note("\(peripheral): its clock is set")
                    facts.clock.set = clock.secondsSince1970.map { (.now, $0) }
                }
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
            streams.append(
                (service, try await service.notifications(buffering: .newest(65536), holdsConfirmations: true)))
        }
        try await withThrowingTaskGroup(of: Void.self) { [facts] group in
            for (service, values) in streams { group.addTask { try await follow(service, values, facts, visits) } }
            // All end with the link; an error ends all.
            try await group.waitForAll()
        }
    }

    private static func isMeasurement(_ uuid: BluetoothUUID) -> Bool { measurements.contains { $0.uuid == uuid } }

    /// Asks for what is stored where the service keeps records, and shows what comes, in the order in which it comes: a
    /// measurement, what belongs to it, and at last the word that no more is stored.
    private func follow(
        _ service: Service, _ values: BluetoothStream<Harald.Notification>, _ facts: DeviceFacts, _ visits: Visits
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
                let isRecord = control != nil && !isOngoing
                let isKnown = isRecord ? await visits.knows(notification.value, peripheral.id) : false
                if !isKnown || isStored != true {
                    try await take(
                        notification.value, of: notification.characteristic,
                        isStored: control != nil && isOngoing ? false : isStored, facts, visits)
                    if isRecord { await visits.took(notification.value, peripheral.id) }
                }
            }
            // Only now the device hears that the value arrived: it may delete what was confirmed.
            notification.confirmation?.confirm()
        }
    }

    /// Hands each reading in a value on.
    /// - Throws: what ``emit`` throws; a value that cannot be decoded is noted.
    private func take(
        _ bytes: [UInt8], of characteristic: Characteristic, isStored: Bool?, _ facts: DeviceFacts, _ visits: Visits
    ) async throws {
        let peripheral = characteristic.peripheral
        let parts: [(bytes: [UInt8], fields: [Field])]
        do throws(ValueError) {
            parts = try Self.parts(of: bytes, of: characteristic.uuid)
        } catch {
            // One bad value is no reason to miss the next.
            return note("\(peripheral): \(characteristic): \(error) in \(bytes.hexText(separator: " "))")
        }
        for part in parts {
            var time = MonitorReading.deviceTime(in: part.fields)
            for case .integer(let minutes) in part.fields.filter({ $0.name == "timeOffset" }).map(\.value)
            where characteristic.uuid == CGMMeasurement.uuid {
                time = facts.sessionStart?.adding(seconds: Int64(minutes) * 60)
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

    /// The readings in a value: a continuous glucose monitor sends several at once, each with its length in front
    /// (Continuous Glucose Monitoring Service 1.0.2, 3.1.1.1).
    private static func parts(
        of bytes: [UInt8], of uuid: BluetoothUUID
    ) throws(ValueError) -> [(bytes: [UInt8], fields: [Field])] {
        guard uuid == CGMMeasurement.uuid else { return [(bytes, try Profiles.fields(of: bytes, uuid: uuid) ?? [])] }
        var parts: [(bytes: [UInt8], fields: [Field])] = []
        var rest = bytes[...]
        for record in try CGMMeasurement(bytes: bytes).records {
            let size = Int(rest.first ?? 0)
            parts.append((Array(rest.prefix(size)), try record.fields()))
            rest = rest.dropFirst(size)
        }
        return parts
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
