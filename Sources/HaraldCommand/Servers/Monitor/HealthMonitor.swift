import BluetoothProfiles
import Foundation
import Harald
import HaraldDevices

/// Scans for health devices and collects the measurements of each.
struct HealthMonitor: Sendable {
    /// The prefixes of device names to accept; empty for all devices with a known measurement.
    var names: [String] = []
    /// True to pair with every device first, and not only on request of the device.
    var pairsFirst = false
    var setsClocks = true
    let central: Central
    let patience: Duration
    let note: @Sendable (String) -> Void
    /// Called with each device that is accepted, each time that it is found.
    var found: @Sendable (ScanResult) -> Void = { _ in }
    /// Reports why no readings of a device are received; once, unless a visit succeeds meanwhile.
    var report: @Sendable (String) -> Void = { _ in }
    /// Consumes a reading. The device gets its acknowledgement only after this has returned. If it throws, the visit
    /// ends and the device keeps the reading.
    let emit: @Sendable (MonitorReading) async throws -> Void
    /// The name of this machine.
    var gateway: String?
    /// True if the devices are on a virtual air.
    var isSimulated = false
    /// The time to leave a device alone after a failed visit.
    var rest = Duration.seconds(5)
    /// The former clocks of devices that have more stored readings.
    let clocks: ClockHistory
    /// The number of values dropped because they were not consumed in time.
    let dropped = DropCount()

    /// Runs until the task is cancelled, also beyond a restart of the controller.
    /// - Throws: an error of the scan, after which it cannot be continued.
    func run() async throws {
        let visits = Visits()
        let weights = AdvertisedWeights()
        let names = names.map { $0.lowercased() }
        let filter = ScanFilter(condition: { found in
            let isWeight = AdvertisedWeight(found) != nil
            guard found.isConnectable || isWeight else { return false }
            if !names.isEmpty {
                return names.contains { found.name?.lowercased().hasPrefix($0) ?? false }
            }
            if isWeight { return true }
            return found.services.contains(where: Self.services.contains) || VendorKind(found) != nil
        })
        try await withThrowingDiscardingTaskGroup { group in
            try await central.scanPersistently(filter, report: report) { found in
                self.found(found)
                if let weight = AdvertisedWeight(found) { return await take(weight, found, weights) }
                guard await visits.begin(found.id) else { return }
                group.addTask {
                    let failure = await visit(found, visits)
                    if let failure, await visits.isNew(failure, of: found.id) { report(failure) }
                    await visits.end(found.id, failure: failure, rest: failure == nil ? .zero : rest)
                }
            }
        }
    }

    /// Emits a weight that a scale advertises, once.
    private func take(_ weight: AdvertisedWeight, _ found: ScanResult, _ weights: AdvertisedWeights) async {
        guard let isLive = await weights.isLive(weight, of: found.id) else { return }
        var facts = DeviceFacts()
        // The clock of such a scale is often wrong. A weighing that happened now shows its offset.
        if isLive, let shown = weight.time?.secondsSince1970 {
            facts.clock.before = (shown - Date().timeIntervalSince1970).rounded()
        }
        do {
            try await emit(
                MonitorReading(
                    time: .now, device: found.id, deviceName: found.name, measurement: "Weight", fields: weight.fields,
                    isStored: isLive ? false : nil, facts: facts, deviceTime: weight.time, gateway: gateway,
                    isSimulated: isSimulated))
        } catch {
            await weights.forget(weight, of: found.id)
            if !(error is CancellationError) { report(ProgramError(error).message) }
        }
    }

    /// The vendor's devices, which do not advertise a service.
    private enum VendorKind {
        case scale, bloodPressure

        init?(_ found: ScanResult) {
            if VendorScale.matches(found) {
                self = .scale
            } else if VendorBloodPressureMonitor.matches(found) {
                self = .bloodPressure
            } else {
                return nil
            }
        }
    }

    /// - Returns: the reason why the visit failed; nil if it ended normally, or was cancelled.
    private func visit(_ found: ScanResult, _ visits: Visits) async -> String? {
        let peripheral = found.peripheral
        var device: ClockOwner?
        do {
            try await closing {
                note("found \(peripheral); connecting")
                try await peripheral.connect(timeout: patience)
                if pairsFirst { try await peripheral.pair() }
                let services = try await peripheral.discoverServices(timeout: patience)
                let facts = try await peripheral.facts(patience: patience)
                let owner = ClockOwner(facts, peripheral.id)
                device = owner
                switch VendorKind(found) {
                case .scale:
                    try await listen(to: VendorScaleReading.self, of: peripheral, "Weight", facts, visits)
                case .bloodPressure:
                    try await listen(
                        to: VendorBloodPressureReading.self, of: peripheral, "Blood Pressure", facts, visits)
                case nil: try await listen(to: peripheral, services, facts, owner, visits)
                }
            } with: {
                await peripheral.disconnect()
            }
            note("\(peripheral) ended the connection")
        } catch {
            guard let error = error as? BluetoothError, case .disconnected = error.code else {
                return Task.isCancelled || error is CancellationError ? nil : ProgramError(error).message
            }
            // A device switches off when it has sent everything.
            note("\(peripheral) disconnected")
        }
        if let device, await visits.hasAllRecords(peripheral.id) { await clocks.forget(device) }
        return nil
    }

    private var clock: DateTime? { setsClocks ? DateTime(local: Date.now) : nil }

    // MARK: Vendors

    private func listen<Reading: VendorReading>(
        to type: Reading.Type, of peripheral: Peripheral, _ what: String, _ facts: DeviceFacts, _ visits: Visits
    ) async throws {
        var facts = facts
        // The protocol sets the clock but cannot read it.
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
                let bytes = frame.bytes.hexText(separator: " ")
                guard VendorProtocol.Command(rawValue: frame.header.first ?? 0) == .reading else {
                    note("\(peripheral): unknown frame \(bytes)")
                    continue
                }
                // The device keeps the reading, and sends it again in each visit.
                guard await !visits.knows(frame.bytes, peripheral.id) else { continue }
                report("\(peripheral): a reading cannot be decoded, and stays on the device: \(bytes)")
                await visits.took(frame.bytes, peripheral.id)
            }
        }
    }

    // MARK: Standard services

    private func listen(
        to peripheral: Peripheral, _ services: [Service], _ known: DeviceFacts, _ device: ClockOwner, _ visits: Visits
    ) async throws {
        for service in services where Self.services.contains(service.uuid) || service.uuid == "1805" {
            try await service.discoverCharacteristics(timeout: patience)
        }
        var facts = known
        // The clock is read before it is set: the times of stored readings are converted with the old offset.
        facts.clock.before = try await peripheral.clockOffset(patience: patience)
        if let service = services.first(where: { $0.uuid == "181F" }),
            let bytes = try await peripheral.known(CGMSessionStartTime.uuid, in: service, patience)
        {
            if let start = try? CGMSessionStartTime(bytes: bytes), start.time.isValid {
                (facts.sessionStart, facts.sessionOffset) = (start.time, start.offset)
            }
        }
        facts.clock = try await setClock(of: peripheral, facts.clock, device)
        let measuring = services.filter { service in
            service.characteristics.contains { Self.isMeasurement($0.uuid) && $0.canSend }
        }
        guard !measuring.isEmpty else {
            throw ProgramError(.notFound, "\(peripheral) has no supported measurement service")
        }
        // Subscribes here, one after the other, so that all subscriptions exist before records are requested.
        var streams: [(Service, BluetoothStream<CharacteristicUpdate>)] = []
        for service in measuring {
            streams.append(
                (service, try await service.notifications(buffering: .newest(65536), holdsConfirmations: true)))
        }
        await visits.beginRecords(peripheral.id, of: measuring.filter { $0.recordControl != nil }.count)
        try await withThrowingTaskGroup(of: Void.self) { [facts] group in
            for (service, values) in streams { group.addTask { try await follow(service, values, facts, visits) } }
            // All tasks end with the link; an error ends all of them.
            try await group.waitForAll()
        }
    }

    /// Sets the clock, and returns the offsets for the readings of this visit: those of an earlier visit if not all
    /// readings of the clock before that were received.
    private func setClock(
        of peripheral: Peripheral, _ offsets: ClockOffsets, _ device: ClockOwner
    ) async throws -> ClockOffsets {
        guard let clock, let shown = clock.secondsSince1970 else { return offsets }
        var offsets = offsets
        offsets.set = (.now, shown)
        let former = await clocks.offsets(of: device)
        // A clock that does not continue as it was set is another one: its device lost power.
        if let former, offsets.before == nil || former.isContinued(by: offsets) {
            offsets = former
        } else if !offsets.isRight {
            do { try await clocks.remember(offsets, of: device) } catch {
                note("\(peripheral): its clock was not set, because its old time cannot be stored: \(error)")
                offsets.set = nil
                return offsets
            }
        }
        do throws(BluetoothError) {
            if try await peripheral.setClock(clock) {
                note("\(peripheral): its clock was set")
                return offsets
            }
        } catch {
            // Without an answer the clock may have been set; the next visit detects it.
            guard peripheral.isConnected, error.code != .timeout, error.code != .cancelled else { throw error }
            // Not every clock may be set; the measurements matter more.
            note("\(error)")
        }
        if former != nil { return offsets }
        await clocks.forget(device)
        offsets.set = nil
        return offsets
    }
}

extension Characteristic {
    /// True if the characteristic notifies or indicates.
    fileprivate var canSend: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

extension DateTime {
    init(local date: Date) {
        let parts = Calendar.current.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        self.init(
            UInt16(clamping: parts.year ?? 0), UInt8(clamping: parts.month ?? 0), UInt8(clamping: parts.day ?? 0),
            UInt8(clamping: parts.hour ?? 0), UInt8(clamping: parts.minute ?? 0), UInt8(clamping: parts.second ?? 0))
    }
}
