import Synchronization

/// Prints the readings of several devices one at a time, and numbers them in the order of the output.
final class ReadingOutput: Sendable {
    private struct State {
        var count = 0
        var left: Int
    }

    private let state: Mutex<State>
    private let print: @Sendable (MonitorReading, Int) -> Void
    private let done: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: the number of readings to print; nil for all.
    ///   - print: prints a reading with its number; calls never overlap.
    ///   - done: called after the last reading.
    init(
        limit: Int?, print: @escaping @Sendable (MonitorReading, Int) -> Void, done: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(left: limit ?? .max))
        self.print = print
        self.done = done
    }

    /// True until the limit is reached.
    var wantsMore: Bool { state.withLock { $0.left > 0 } }

    /// Prints a reading, unless the limit is reached.
    @Sendable func emit(_ reading: MonitorReading) {
        let isLast = state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            state.count += 1
            // Under the lock, so that the numbers follow the order of the output.
            print(reading, state.count)
            return state.left == 0
        }
        if isLast { done() }
    }
}
