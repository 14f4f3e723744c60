import BluetoothModel
import Synchronization

/// A failed scenario, with the contradicting observations.
package struct ScenarioFailure: Error, CustomStringConvertible, Sendable {
    package var description: String

    package init(_ description: String) { self.description = description }
}

/// The time limit of each wait in a scenario.
package enum WaitLimit {
    @TaskLocal package static var current = Duration.seconds(60)
}

/// The events of one kind that a scenario observed, in order.
package final class Events<Value: Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let isMet: @Sendable ([Value]) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var values: [Value] = []
        var waiters: [Waiter] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The events so far.
    package var all: [Value] { state.withLock { $0.values } }
    package var count: Int { all.count }

    package func append(_ value: Value) {
        let met = state.withLock { state in
            state.values.append(value)
            let values = state.values
            let met = state.waiters.filter { $0.isMet(values) }
            state.waiters.removeAll { waiter in met.contains { $0.number == waiter.number } }
            return met
        }
        for waiter in met { waiter.continuation.resume(returning: true) }
    }

    /// Waits until the events satisfy `isMet`, and returns them.
    /// - Throws: ``ScenarioFailure`` with the events, after ``WaitLimit``.
    @discardableResult
    package func wait(
        for what: String, until isMet: @escaping @Sendable ([Value]) -> Bool
    ) async throws -> [Value] {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let limit = WaitLimit.current
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            self?.expire(number)
        }
        defer { timer.cancel() }
        let happened = await withCheckedContinuation { continuation in
            let isMetAlready = state.withLock { state in
                if isMet(state.values) { return true }
                state.waiters.append(Waiter(number: number, isMet: isMet, continuation: continuation))
                return false
            }
            if isMetAlready { continuation.resume(returning: true) }
        }
        guard happened else { throw ScenarioFailure("no \(what) within \(limit); observed: \(all)") }
        return all
    }

    /// Waits for a number of events.
    @discardableResult
    package func wait(for what: String, count: Int) async throws -> [Value] {
        try await wait(for: "\(what) (\(count))") { $0.count >= count }
    }

    private func expire(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }
}

extension Events where Value: Equatable {
    /// Waits until this event has occurred `count` times.
    package func wait(for value: Value, times count: Int = 1) async throws {
        try await wait(for: "\(value)") { $0.count { $0 == value } >= count }
    }

    package func count(of value: Value) -> Int { all.count { $0 == value } }
}

/// Checks a condition of a scenario.
package func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw ScenarioFailure(what()) }
}

/// Checks that two values are equal.
package func require<Value: Equatable>(
    _ observed: Value, is expected: Value, _ what: @autoclosure () -> String
) throws {
    if observed != expected { throw ScenarioFailure("\(what()): \(observed), expected \(expected)") }
}
