import BluetoothProfiles
import BluetoothRuntime
import Harald
import Logging
import Synchronization

/// The environment of a device program: the device's characteristics, its clock, and tasks that end with the device.
public final class DeviceStage: Sendable {
    private struct Work: Sendable {
        var number: Int
        var task: Task<Void, Never>
    }

    private struct State: Sendable {
        var work: [String: Work] = [:]
        var count = 0
        var isOver = false
        /// The start of the device on its own clock, in seconds since 2000-01-01T00:00:00.
        var epoch: Int64 = 820_569_600
    }

    /// Reports errors of device programs, which no caller receives.
    static let logger = Logger(label: "harald.device")

    private let values: DeviceValues
    private let loop: RadioLoop
    private let start: RadioInstant
    private let state = Mutex(State())

    init(values: DeviceValues, loop: RadioLoop) {
        self.values = values
        self.loop = loop
        start = loop.now
    }

    /// The time since the device started.
    public var elapsed: Duration { loop.now - start }

    /// The clock of the device. Starts at the beginning of 2026 until it is set.
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

    /// Sends a value to all subscribers, or to one of them.
    ///
    /// With a central, returns after the radio accepted the notification or the indication was confirmed. Without one,
    /// returns after that is true of the first subscriber; the value is sent to the others without waiting for them.
    /// Without any subscribers, stores the value.
    /// - Returns: True if the value was sent or stored.
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
                    // A subscriber that disconnects at this moment does not get the value.
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

    /// Sends a value of a known type. A value that cannot be encoded is logged and not sent.
    /// - Returns: True if the value was sent or stored.
    @discardableResult
    public func send<Value: CharacteristicType>(_ value: Value, to central: PeripheralID? = nil) async -> Bool {
        guard let bytes = Self.encode(value) else { return false }
        return await send(bytes, from: Value.uuid, to: central)
    }

    /// Returns the bytes of a value; logs the error and returns nil if a field is out of range.
    static func encode(_ value: some GATTValue) -> [UInt8]? {
        do {
            return try value.encoded()
        } catch {
            logger.error(
                "a value cannot be encoded", metadata: ["type": "\(type(of: value))", "error": "\(error)"])
            return nil
        }
    }

    /// Returns true if a central is subscribed.
    public func hasSubscribers(_ uuid: BluetoothUUID) async -> Bool {
        guard let characteristic = values.published(uuid) else { return false }
        return await !characteristic.subscribers.isEmpty
    }

    /// Suspends for a duration on the device's clock.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func wait(_ duration: Duration) async throws(CancellationError) {
        try await AdapterClock(loop: loop).sleep(until: loop.now + duration)
    }

    /// Runs `body` as a task that is cancelled with the device. Cancels the task that runs under the same name.
    ///
    /// An error of `body` ends the task, and is logged unless it is a `CancellationError`.
    public func run(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        let loop = loop
        let old = state.withLock { state -> Task<Void, Never>? in
            guard !state.isOver else { return nil }
            state.count += 1
            let number = state.count
            let task = Task(executorPreference: loop) { [weak self] in
                do {
                    try await body()
                } catch is CancellationError {
                    // The device has ended, the task was replaced, or the program ended it.
                } catch {
                    Self.logger.error(
                        "a task of a device program failed", metadata: ["task": "\(name)", "error": "\(error)"])
                }
                self?.ended(name, number)
            }
            return state.work.updateValue(Work(number: number, task: task), forKey: name)?.task
        }
        old?.cancel()
    }

    /// Returns true if a task runs under a name.
    public func isRunning(_ name: String) -> Bool { state.withLock { $0.work[name] != nil } }

    /// Cancels the task that runs under a name.
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
