import BluetoothRuntime
import Harald
import VirtualDevices

/// Observation of notifications and indications.
extension DeviceCloner {
    /// The result of a subscription.
    private struct Observation: Sendable {
        let service: Int
        let characteristic: Int
        var times: [RadioInstant] = []
        var value: [UInt8]?
        var error: BluetoothError?
    }

    /// Subscribes to the characteristics that notify or indicate, and records their values and intervals.
    func observe(
        _ services: [Service], _ copies: inout [DeviceService], _ reader: CloneReader, _ result: inout Result
    ) async throws {
        var targets: [(Observation, Characteristic)] = []
        for (index, service) in services.enumerated() {
            for (number, characteristic) in service.characteristics.enumerated()
            // Service Changed, in the GATT service (0x1801), is handled by the library.
            where copies[index].characteristics[number].isSubscribable && service.uuid != 0x1801
                && reader.mayRead(characteristic.uuid)
            {
                targets.append((Observation(service: index, characteristic: number), characteristic))
            }
        }
        guard let clock = targets.first?.1.peripheral.clock else { return }
        let end = clock.now + observation
        let observations = await withTaskGroup(of: Observation.self) { group in
            for (start, characteristic) in targets {
                group.addTask { await Self.listen(to: characteristic, start, until: end) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        try Task.checkCancellation()
        for seen in observations {
            let characteristic = services[seen.service].characteristics[seen.characteristic]
            try take(seen, of: characteristic, &copies[seen.service].characteristics[seen.characteristic], &result)
        }
    }

    private func take(
        _ seen: Observation, of characteristic: Characteristic, _ copy: inout DeviceCharacteristic,
        _ result: inout Result
    ) throws {
        if let error = seen.error {
            switch error.code {
            case .att(let code) where code.asksForSecurity:
                copy.demandEncryptionOfSubscribers()
                result.notes.append("subscribing to \(characteristic) requires an encrypted link")
            case .disconnected, .notConnected, .radio: throw error
            default: result.notes.append("subscribing to \(characteristic) failed: \(error.reason)")
            }
        }
        if let value = seen.value, !characteristic.properties.contains(.read) {
            copy.value = ValueTemplate(Array(value.prefix(512)))
        }
        if let period = Self.period(seen.times) { copy.notifyEvery = period }
    }

    private static func listen(
        to characteristic: Characteristic, _ start: Observation, until end: RadioInstant
    ) async -> Observation {
        var seen = start
        let stream: BluetoothStream<[UInt8]>
        do throws(BluetoothError) { stream = try await characteristic.subscribe() } catch {
            seen.error = error
            return seen
        }
        let (box, clock) = (ObservationBox(), characteristic.peripheral.clock)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await clock.sleep(until: end) }
            group.addTask {
                do throws(BluetoothError) {
                    for try await value in stream where await box.note(value, at: clock.now) { return }
                } catch {
                    if error.code != .cancelled { await box.fail(error) }
                }
                // The subscriptions to other characteristics continue until the same time.
                try? await clock.sleep(until: end)
            }
            await group.next()
            group.cancelAll()
        }
        (seen.times, seen.value, seen.error) = await box.contents
        return seen
    }

    /// Returns the mean interval of the values; nil for fewer than three values, irregular intervals or a mean below
    /// 1 ms.
    static func period(_ times: [RadioInstant]) -> Duration? {
        guard times.count >= 3, let first = times.first, let last = times.last, last > first else { return nil }
        let mean = (last - first) / (times.count - 1)
        let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? mean
        guard longest < mean * 3, mean >= .milliseconds(1) else { return nil }
        // Rounded to 10 ms, or to 1 ms below 100 ms.
        let unit: Duration = mean >= .milliseconds(100) ? .milliseconds(10) : .milliseconds(1)
        return unit * Int((mean / unit).rounded())
    }
}

/// The values of one subscription.
private actor ObservationBox {
    private var times: [RadioInstant] = []
    private var value: [UInt8]?
    private var error: BluetoothError?

    var contents: ([RadioInstant], [UInt8]?, BluetoothError?) { (times, value, error) }

    /// The number of values at regular intervals that suffices. Only the newest are kept, so that one late value does
    /// not prevent a result.
    private static let enough = 10

    /// Returns true when the interval between the values is known.
    func note(_ value: [UInt8], at time: RadioInstant) -> Bool {
        self.value = value
        if times.count == Self.enough { times.removeFirst() }
        times.append(time)
        return times.count == Self.enough && DeviceCloner.period(times) != nil
    }

    func fail(_ error: BluetoothError) { self.error = error }
}
