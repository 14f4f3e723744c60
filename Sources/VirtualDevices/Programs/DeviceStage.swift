import BluetoothProfiles
import BluetoothRuntime
import Harald
import Synchronization

/// What a program of a device acts on: its characteristics, its clock, and tasks that end with the device.
public final class DeviceStage: Sendable {
    private struct Work: Sendable {
        var number: Int
        var task: Task<Void, Never>
    }

    private struct State: Sendable {
        var work: [String: Work] = [:]
        var count = 0
        var isOver = false
        /// Seconds from the beginning of 2000 to when the device was put on the air, by its own clock.
        var epoch: Int64 = 820_569_600
    }

    private let values: DeviceValues
    private let loop: RadioLoop
    private let start: RadioInstant
    private let state = Mutex(State())

    init(values: DeviceValues, loop: RadioLoop) {
        self.values = values
        self.loop = loop
        start = loop.now
    }

    /// How long the device has been on the air.
    public var elapsed: Duration { loop.now - start }

    /// The device's clock. It begins with the year 2026, until somebody sets it.
    public var clock: DateTime {
        get {
            let epoch = state.withLock { $0.epoch }
            return DateTime(secondsSince2000: epoch + Int64(elapsed / .seconds(1)))
        }
        set {
            guard let seconds = newValue.secondsSince2000 else { return }
            let elapsed = Int64(elapsed / .seconds(1))
            state.withLock { $0.epoch = seconds - elapsed }
        }
    }

    /// Sends a value to those who subscribed, or to one of them.
    ///
    /// With a central it returns when the radio has taken the value or an indication was confirmed. Without one it returns
    /// when a subscriber is served in that way; the others are served, too, and nobody waits for them.
    /// - Returns: whether it was sent.
    @discardableResult
    public func send(_ bytes: [UInt8], from uuid: BluetoothUUID, to central: PeripheralID? = nil) async -> Bool {
        guard let characteristic = values.published(uuid) else { return false }
        let receivers = if let central { [central] } else { await characteristic.subscribers }
        guard !receivers.isEmpty else {
            await characteristic.setValue(bytes)
            return true
        }
        let (outcomes, outcome) = AsyncStream<Bool>.makeStream()
        for receiver in receivers {
            Task(executorPreference: loop) {
                do {
                    try await characteristic.update(bytes, for: receiver)
                    outcome.yield(true)
                } catch {
                    // A subscriber that is gone in this moment did not get it.
                    outcome.yield(false)
                }
            }
        }
        var left = receivers.count
        for await isSent in outcomes {
            left -= 1
            if isSent || left == 0 { return isSent }
        }
        return false
    }

    /// Sends a value of a known type.
    @discardableResult
    public func send<Value: CharacteristicType>(_ value: Value, to central: PeripheralID? = nil) async -> Bool {
        guard let bytes = try? value.encoded() else { return false }
        return await send(bytes, from: Value.uuid, to: central)
    }

    /// Whether anybody is subscribed.
    public func hasSubscribers(_ uuid: BluetoothUUID) async -> Bool {
        guard let characteristic = values.published(uuid) else { return false }
        return await !characteristic.subscribers.isEmpty
    }

    /// Waits on the device's clock.
    public func wait(_ duration: Duration) async throws(CancellationError) {
        try await LoopSleep.until(loop.now + duration, on: loop)
    }

    /// Runs something beside everything else; what runs under the same name is cancelled. It ends with the device.
    public func run(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        let loop = loop
        let old = state.withLock { state -> Task<Void, Never>? in
            guard !state.isOver else { return nil }
            state.count += 1
            let number = state.count
            let task = Task(executorPreference: loop) { [weak self] in
                try? await body()
                self?.ended(name, number)
            }
            return state.work.updateValue(Work(number: number, task: task), forKey: name)?.task
        }
        old?.cancel()
    }

    /// Whether something runs under a name.
    public func isRunning(_ name: String) -> Bool { state.withLock { $0.work[name] != nil } }

    /// Cancels what runs under a name.
    public func cancel(_ name: String) { state.withLock { $0.work.removeValue(forKey: name) }?.task.cancel() }

    private func ended(_ name: String, _ number: Int) {
        state.withLock { state in
            if state.work[name]?.number == number { state.work[name] = nil }
        }
    }

    func end() {
        let tasks = state.withLock { state in
            state.isOver = true
            defer { state.work = [:] }
            return state.work.values.map(\.task)
        }
        for task in tasks { task.cancel() }
    }
}
