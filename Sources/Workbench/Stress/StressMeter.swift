import BluetoothRuntime
import Harald
import Synchronization

/// Collects the durations, failures and octets of operations. Several tasks may use it concurrently.
final class StressMeter: Sendable {
    /// An operation; the raw value is its name in the summary.
    enum Operation: String, Hashable, Sendable, CaseIterable {
        case connect, discover, read, subscribe, unsubscribe, write, parameters, phy, dataLength, disconnect
    }

    /// The durations of an operation in milliseconds, with the time at which each began.
    struct Series: Sendable {
        var samples: [(time: Double, milliseconds: Double)] = []
        var count = 0
        var failures = 0
        /// Only every `step`-th sample is kept; the step doubles each time ``limit`` samples are stored.
        private var step = 1

        private static let limit = 65_536

        mutating func add(_ milliseconds: Double, at time: Double) {
            count += 1
            guard count % step == 0 else { return }
            samples.append((time, milliseconds))
            guard samples.count >= Self.limit else { return }
            samples = stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
            step *= 2
        }
    }

    /// The failures of one kind.
    struct Failure: Sendable {
        var operation: String
        var kind: String
        var count = 1
        /// The time of the first failure, in seconds since the start.
        var first: Double
        var message: String
    }

    struct State: Sendable {
        var series: [Operation: Series] = [:]
        var failures: [Failure] = []
        /// The octets that were read, notified and written, and the durations of the transfers in seconds.
        var octets: [String: (octets: Int, seconds: Double)] = [:]
        var links = 0
        var losses = 0
        var values = 0
        var dropped = 0
        var isAway = false
        var adapterProblem: BluetoothError?
    }

    private let state = Mutex(State())
    let clock: AdapterClock
    private let start: RadioInstant

    /// Creates a meter whose time starts now.
    init(clock: AdapterClock) {
        self.clock = clock
        start = clock.now
    }

    /// The measurements so far.
    var current: State { state.withLock { $0 } }
    /// The seconds since the start.
    var elapsed: Double { (clock.now - start) / .seconds(1) }

    /// Changes the counters.
    func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// Adds octets that were transferred from `start` until now.
    func add(_ octets: Int, _ kind: String, since start: RadioInstant) {
        let seconds = (clock.now - start) / .seconds(1)
        note { state in
            let before = state.octets[kind] ?? (0, 0)
            state.octets[kind] = (before.octets + octets, before.seconds + seconds)
        }
    }

    /// Measures an operation; returns nil if it failed, after counting the failure.
    /// - Throws: `CancellationError` if the task was cancelled.
    @discardableResult
    func measure<Value>(
        _ operation: Operation, _ body: () async throws(BluetoothError) -> Value
    ) async throws(CancellationError) -> Value? {
        let (began, time) = (clock.now, elapsed)
        do throws(BluetoothError) {
            let value = try await body()
            let duration = (clock.now - began) / .milliseconds(1)
            state.withLock { $0.series[operation, default: Series()].add(duration, at: time) }
            return value
        } catch {
            if Task.isCancelled { throw CancellationError() }
            fail(operation, error, at: time)
            return nil
        }
    }

    /// Counts a failure.
    func fail(_ operation: Operation, _ error: BluetoothError, at time: Double) {
        fail(operation.rawValue, Self.kind(of: error.code), "\(error)", at: time) { state in
            state.series[operation, default: Series()].failures += 1
            if case .radio = error.code, state.adapterProblem == nil { state.adapterProblem = error }
        }
    }

    /// Counts a failure that belongs to no operation.
    func fail(
        _ operation: String, _ kind: String, _ message: String, at time: Double,
        _ change: (inout State) -> Void = { _ in }
    ) {
        state.withLock { state in
            change(&state)
            if let index = state.failures.firstIndex(where: { $0.operation == operation && $0.kind == kind }) {
                state.failures[index].count += 1
            } else {
                state.failures.append(
                    Failure(operation: operation, kind: kind, first: time, message: message))
            }
        }
    }

    /// Returns a short name of an error code.
    private static func kind(of code: BluetoothError.Code) -> String {
        switch code {
        case .pairingRefused, .pairingFailed, .wrongPasskey, .bondLost: "pairing"
        case .plain(let kind): kind.rawValue
        case .disconnected(let status): "disconnected: \(status)"
        case .radio: "adapter"
        case .att(let code): "ATT \(code)"
        case .controller(let status): "controller: \(status)"
        case .channelRefused: "channel refused"
        }
    }
}
