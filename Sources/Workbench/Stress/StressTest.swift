import BluetoothRuntime
import Harald

/// Puts a device under load: connection cycles, subscriptions, reads, writes and changes of the link.
package struct StressTest: Sendable {
    package var duration = Duration.seconds(60)
    /// The timeout of each operation.
    package var timeout = Duration.seconds(10)
    /// Finds the characteristic to write to, on a new link; nil if nothing is written.
    package var writeTarget: (@Sendable (Peripheral) async throws -> Characteristic)?
    /// The value to write; nil for as many zeros as fit into one packet.
    package var value: [UInt8]?
    /// The number of short links before each long one.
    private let shortLinks = 4
    /// The maximum duration of the load on one link.
    private let loadTime = Duration.seconds(5)
    /// The number of consecutive failed connections after which the test ends.
    private let patience = 3

    package init() {}

    /// Runs the test until its duration has elapsed, the device can no longer be connected, the adapter is off or lost,
    /// or the task is cancelled.
    /// - Throws: ``BluetoothError`` if the first connection fails; an error of ``writeTarget``.
    package func run(_ peripheral: Peripheral) async throws -> StressSummary {
        let clock = peripheral.clock
        let meter = StressMeter(clock: clock)
        let end = clock.now + duration
        var survey = Survey()
        var failed = 0
        do {
            try await self.survey(peripheral, meter, &survey)
            var number = 1
            while clock.now < end, failed < patience, meter.current.adapterProblem == nil {
                number += 1
                guard try await connect(peripheral, meter) else {
                    failed += 1
                    // A device that restarts needs some time until it advertises again.
                    try await clock.sleep(for: .milliseconds(500))
                    continue
                }
                failed = 0
                if number % (shortLinks + 1) == 0 {
                    try await load(peripheral, meter, survey, until: min(end, clock.now + loadTime))
                } else if let characteristic = survey.readable.first {
                    try await read(characteristic, meter)
                }
                try await disconnect(peripheral, meter)
            }
        } catch is CancellationError {
            // The measurements so far are the result.
        }
        let isAway = failed >= patience && meter.current.adapterProblem == nil
        if isAway { meter.note { $0.isAway = true } }
        await Task { await peripheral.disconnect() }.value
        return StressSummary(meter, of: peripheral, omissions: survey.omissions)
    }

    /// The attributes of the device that the test uses.
    private struct Survey: Sendable {
        var readable: [Characteristic] = []
        var subscribable: [Characteristic] = []
        var target: Characteristic?
        var attributes: [AttributeID] = []
        var omissions: [String] = []
    }

    // MARK: Links

    private func connect(_ peripheral: Peripheral, _ meter: StressMeter) async throws -> Bool {
        let isThere: Void? = try await meter.measure(.connect) { () async throws(BluetoothError) in
            try await peripheral.connect(timeout: timeout)
        }
        if isThere != nil { meter.note { $0.links += 1 } }
        return isThere != nil
    }

    private func disconnect(_ peripheral: Peripheral, _ meter: StressMeter) async throws {
        if peripheral.isConnected {
            try await meter.measure(.disconnect) { () async throws(BluetoothError) in await peripheral.disconnect() }
        } else if case .disconnected(let error?) = peripheral.state {
            meter.note { $0.losses += 1 }
            let kind = if case .disconnected(let status) = error.code { "\(status)" } else { error.reason }
            meter.fail("link", "lost: \(kind)", "\(error)", at: meter.elapsed)
        }
    }

    /// Determines the attributes that the test can use. An initial refusal by the device is not counted as a failure.
    private func survey(_ peripheral: Peripheral, _ meter: StressMeter, _ survey: inout Survey) async throws {
        let (began, time) = (meter.clock.now, meter.elapsed)
        try await peripheral.connect(timeout: timeout)
        let duration = (meter.clock.now - began) / .milliseconds(1)
        meter.note { state in
            state.links += 1
            state.series[.connect, default: .init()].add(duration, at: time)
        }
        let all = try await meter.measure(.discover) { () async throws(BluetoothError) in
            try await peripheral.discoverAll(timeout: timeout)
        }
        guard all != nil else { return }
        let characteristics = peripheral.services.flatMap(\.characteristics)
        survey.attributes = characteristics.map(\.valueHandle)
        for characteristic in characteristics {
            if characteristic.properties.contains(.read) {
                do throws(BluetoothError) {
                    _ = try await characteristic.read(timeout: timeout)
                    survey.readable.append(characteristic)
                } catch { try omit("read", characteristic, error, &survey) }
            }
            if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
                do throws(BluetoothError) {
                    _ = try await characteristic.subscribe()
                    survey.subscribable.append(characteristic)
                } catch { try omit("subscribe to", characteristic, error, &survey) }
            }
        }
        if let writeTarget {
            let target = try await writeTarget(peripheral)
            guard target.properties.contains(.writeWithoutResponse) || target.properties.contains(.write) else {
                throw BluetoothError(
                    .unsupported, operation: "write \(target)", reason: "the characteristic is not writable")
            }
            survey.target = target
        } else {
            survey.omissions.append("writes: no characteristic was selected")
        }
        try await disconnect(peripheral, meter)
    }

    private func omit(
        _ what: String, _ characteristic: Characteristic, _ error: BluetoothError, _ survey: inout Survey
    ) throws {
        if Task.isCancelled { throw CancellationError() }
        switch error.code {
        case .att, .security, .pairingRefused, .pairingFailed, .unsupported:
            survey.omissions.append("\(what) \(characteristic): \(error.reason)")
        default: throw error
        }
    }

    // MARK: Load

    /// Discovers the attributes, then runs all operations concurrently until `end` or the loss of the link.
    private func load(
        _ peripheral: Peripheral, _ meter: StressMeter, _ survey: Survey, until end: RadioInstant
    ) async throws {
        await peripheral.forgetCache()
        let found = try await meter.measure(.discover) { () async throws(BluetoothError) in
            try await peripheral.discoverAll(timeout: timeout)
        }
        guard found != nil else { return }
        let characteristics = peripheral.services.flatMap(\.characteristics)
        if characteristics.map(\.valueHandle) != survey.attributes {
            meter.fail(
                "discover", "changed attributes", "the attributes differ from those of the first link",
                at: meter.elapsed)
        }
        func current(_ wanted: [Characteristic]) -> [Characteristic] {
            let handles = Set(wanted.map(\.valueHandle))
            return characteristics.filter { handles.contains($0.valueHandle) }
        }
        let (readable, subscribable) = (current(survey.readable), current(survey.subscribable))
        let target = survey.target.flatMap { current([$0]).first }
        let test = self
        try await withThrowingTaskGroup(of: Void.self) { group in
            @Sendable func isRunning() -> Bool { meter.clock.now < end && peripheral.isConnected && !Task.isCancelled }
            group.addTask {
                while isRunning() {
                    for characteristic in readable where isRunning() { try await test.read(characteristic, meter) }
                    if readable.isEmpty { return }
                }
            }
            group.addTask { try await test.subscribe(subscribable, meter, while: isRunning) }
            if let target { group.addTask { try await test.write(target, meter, while: isRunning) } }
            group.addTask { try await test.change(peripheral, meter, while: isRunning) }
            try await group.waitForAll()
        }
    }

    private func read(_ characteristic: Characteristic, _ meter: StressMeter) async throws {
        let start = meter.clock.now
        let bytes = try await meter.measure(.read) { () async throws(BluetoothError) in
            try await characteristic.read(timeout: timeout)
        }
        meter.add(bytes?.count ?? 0, "read", since: start)
    }

    /// Repeatedly subscribes to all characteristics, receives values for a short time, and unsubscribes.
    private func subscribe(
        _ characteristics: [Characteristic], _ meter: StressMeter, while isRunning: @Sendable () -> Bool
    ) async throws {
        guard !characteristics.isEmpty else { return }
        while isRunning() {
            let start = meter.clock.now
            var streams: [BluetoothStream<[UInt8]>] = []
            for characteristic in characteristics where isRunning() {
                let stream = try await meter.measure(.subscribe) { () async throws(BluetoothError) in
                    try await characteristic.subscribe(buffering: .newest(65_536))
                }
                if let stream { streams.append(stream) }
            }
            try await meter.clock.sleep(for: .milliseconds(300))
            var (count, octets, dropped) = (0, 0, 0)
            for stream in streams {
                dropped += stream.droppedCount
                var iterator = stream.makeAsyncIterator()
                // The loss of the link, which ends a stream, is counted with the link.
                while let arrival = try? await iterator.next(within: .zero, clock: characteristics[0].peripheral.clock),
                    case .value(let bytes) = arrival
                {
                    count += 1
                    octets += bytes.count
                }
            }
            meter.add(octets, "notified", since: start)
            meter.note { state in
                state.values += count
                state.dropped += dropped
            }
            streams = []
        }
    }

    /// Writes without response as fast as the link permits, or with response if the characteristic offers only that.
    private func write(
        _ target: Characteristic, _ meter: StressMeter, while isRunning: @Sendable () -> Bool
    ) async throws {
        let type: WriteType =
            target.properties.contains(.writeWithoutResponse) ? .withoutResponse : .withResponse
        let room = min(512, target.peripheral.maximumWriteLength(for: type))
        let bytes = Array((value ?? [UInt8](repeating: 0, count: min(room, 244))).prefix(room))
        let start = meter.clock.now
        var octets = 0
        while isRunning() {
            let isWritten: Void? = try await meter.measure(.write) { () async throws(BluetoothError) in
                try await target.write(bytes, type: type, timeout: timeout)
            }
            if isWritten != nil { octets += bytes.count }
        }
        meter.add(octets, "written", since: start)
    }

    /// Changes connection parameters, physical layer and data length in turn. A change that the adapter does not
    /// support is attempted once.
    private func change(
        _ peripheral: Peripheral, _ meter: StressMeter, while isRunning: @Sendable () -> Bool
    ) async throws {
        let ranges = [(7.5, 15.0), (30, 50), (15, 30), (100, 125)].map {
            Duration.milliseconds($0.0) ... .milliseconds($0.1)
        }
        var unsupported: Set<StressMeter.Operation> = []
        var turn = 0
        func attempt(
            _ operation: StressMeter.Operation, _ body: () async throws(BluetoothError) -> Void
        ) async throws {
            guard isRunning(), !unsupported.contains(operation) else { return }
            let result: Bool? = try await meter.measure(operation) { () async throws(BluetoothError) in
                do throws(BluetoothError) {
                    try await body()
                    return true
                } catch {
                    guard case .unsupported = error.code else { throw error }
                    return false
                }
            }
            if result == false {
                unsupported.insert(operation)
                meter.note { $0.series[operation] = nil }
            }
        }
        while isRunning() {
            let request = ConnectionParametersRequest(
                interval: ranges[turn % ranges.count], supervisionTimeout: .seconds(4))
            try await attempt(.parameters) { () async throws(BluetoothError) in
                try await peripheral.updateConnectionParameters(request, timeout: timeout)
            }
            let phy: PHY = turn % 2 == 0 ? .le2M : .le1M
            try await attempt(.phy) { () async throws(BluetoothError) in
                try await peripheral.setPHY(transmit: [phy], receive: [phy], timeout: timeout)
            }
            let octets: UInt16 = turn % 2 == 0 ? 251 : 27
            try await attempt(.dataLength) { () async throws(BluetoothError) in
                try await peripheral.setDataLength(octets, timeout: timeout)
            }
            turn += 1
            if isRunning() { try await meter.clock.sleep(for: .milliseconds(200)) }
        }
    }
}
