import BluetoothRuntime
import Harald
import Synchronization

/// The autonomous behaviour of a device: sends values while centrals are subscribed, and disconnects centrals after a
/// time.
///
/// Its tasks run on the loop, so that a stepped clock waits for them.
final class DeviceBehaviour: Sendable {
    private enum State: Sendable {
        case idle
        case running(
            listener: Task<Void, Never>, senders: [DeviceValues.Place: Task<Void, Never>],
            ends: [PeripheralID: Task<Void, Never>])
        case over
    }

    private let file: DeviceFile
    private let values: DeviceValues
    private let loop: RadioLoop
    private let disconnect: @Sendable (PeripheralID) async -> Void
    private let events: BluetoothStream<LocalPeripheral.Event>
    private let program: (any DeviceProgram)?
    private let state = Mutex(State.idle)

    init(
        _ file: DeviceFile, values: DeviceValues, peripheral: LocalPeripheral, loop: RadioLoop,
        program: (any DeviceProgram)? = nil
    ) {
        self.file = file
        self.program = program
        self.values = values
        self.loop = loop
        // Ignored on platforms where only the central can disconnect.
        disconnect = { [weak peripheral] central in try? await peripheral?.disconnect(central) }
        events = peripheral.events
    }

    func start() {
        let (events, program, values) = (events, program, values)
        let listener = Task(executorPreference: loop) { [weak self] in
            do {
                for try await event in events {
                    self?.happened(event)
                    if let program { await Self.notify(program, of: event, values) }
                }
            } catch {
                // The device was closed.
            }
        }
        state.withLock { $0 = .running(listener: listener, senders: [:], ends: [:]) }
    }

    func stop() {
        let last = state.withLock { state in
            defer { state = .over }
            return state
        }
        guard case .running(let listener, let senders, let ends) = last else { return }
        listener.cancel()
        for task in senders.values { task.cancel() }
        for task in ends.values { task.cancel() }
    }

    private func happened(_ event: LocalPeripheral.Event) {
        switch event {
        case .connected(let central):
            guard let after = file.disconnectAfter else { return }
            let (loop, disconnect) = (loop, disconnect)
            let deadline = loop.now + after
            let task = Task(executorPreference: loop) {
                guard (try? await AdapterClock(loop: loop).sleep(until: deadline)) != nil else { return }
                await disconnect(central)
            }
            let old = change { _, ends in ends.updateValue(task, forKey: central) }
            old?.cancel()
        case .disconnected(let central, _):
            let task = change { _, ends in ends.removeValue(forKey: central) }
            task?.cancel()
        case .subscribed(_, let attribute, _):
            guard let place = values.place(of: attribute), let every = characteristic(at: place)?.notifyEvery else {
                return
            }
            startSending(place, every: every)
        case .secured, .unsubscribed, .advertisingEnded, .passkeyBlocked: break
        }
    }

    private static func notify(
        _ program: any DeviceProgram, of event: LocalPeripheral.Event, _ values: DeviceValues
    ) async {
        switch event {
        case .subscribed(let central, let attribute, _):
            if let uuid = values.uuid(of: attribute) { await program.subscribed(central, to: uuid) }
        case .unsubscribed(let central, let attribute):
            if let uuid = values.uuid(of: attribute) { await program.unsubscribed(central, from: uuid) }
        case .disconnected(let central, _): await program.disconnected(central)
        case .connected, .secured, .advertisingEnded, .passkeyBlocked: break
        }
    }

    private func change<Result>(
        _ body: (inout [DeviceValues.Place: Task<Void, Never>], inout [PeripheralID: Task<Void, Never>]) -> Result?
    ) -> Result? {
        state.withLock { state -> Result? in
            guard case .running(let listener, var senders, var ends) = state else { return nil }
            let result = body(&senders, &ends)
            state = .running(listener: listener, senders: senders, ends: ends)
            return result
        }
    }

    private func characteristic(at place: DeviceValues.Place) -> DeviceCharacteristic? {
        file.services[place.service].characteristics[place.characteristic]
    }

    /// Sends a value at once and then periodically, until no central is subscribed.
    private func startSending(_ place: DeviceValues.Place, every period: Duration) {
        let (loop, values) = (loop, values)
        _ = change { senders, _ -> Void? in
            guard senders[place] == nil else { return nil }
            senders[place] = Task(executorPreference: loop) { [weak self] in
                var next = loop.now
                while !Task.isCancelled, let published = values.published(at: place) {
                    if await published.subscribers.isEmpty { break }
                    // Continue if a subscriber disconnects at this moment.
                    try? await published.update(values.bytes(at: place))
                    // Keep the period independent of the duration of sending; missed values are skipped.
                    next = max(next + period, loop.now)
                    guard (try? await AdapterClock(loop: loop).sleep(until: next)) != nil else { break }
                }
                self?.sendingEnded(place)
            }
            return nil
        }
    }

    private func sendingEnded(_ place: DeviceValues.Place) {
        _ = change { senders, _ in senders.removeValue(forKey: place) }
        // A central may have subscribed since the last check.
        guard let every = characteristic(at: place)?.notifyEvery, let published = values.published(at: place) else {
            return
        }
        Task(executorPreference: loop) { [weak self] in
            if await !published.subscribers.isEmpty { self?.startSending(place, every: every) }
        }
    }
}
