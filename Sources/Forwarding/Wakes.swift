import Synchronization

/// Wakes tasks that wait for work. A wake between a check and the wait is not lost, because it changes the count.
package final class Wakes: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Creates wakes that nobody waits for.
    package init() {}

    /// The number of wakes so far.
    package var count: UInt64 { state.withLock { $0.count } }

    package func wake() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns at the first wake after the count was `seen`, when the time has elapsed, or when the task is cancelled.
    package func wait(after seen: UInt64, atMost limit: Duration) async {
        await Self.wait(for: [(self, seen)], atMost: limit)
    }

    /// Returns at the first wake of one of several after its count was `seen`, when the time has elapsed, or when the
    /// task is cancelled.
    package static func wait(for all: [(wakes: Wakes, seen: UInt64)], atMost limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for (wakes, seen) in all { group.addTask { await wakes.wait(after: seen) } }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait(after seen: UInt64) async {
        let key = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.count == seen, !Task.isCancelled else { return true }
                    state.waiting[key] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
        }
    }
}
