import Synchronization

/// Prints the readings of several devices one at a time, and numbers them in the order of the output.
final class ReadingOutput: Sendable {
    private struct State {
        var count = 0
        var left: Int
        var reserved = 0
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

    /// Reserves a place for a reading, which ``emit(_:)`` then prints.
    /// - Returns: false if the limit is reached with the reserved places.
    func reserve() -> Bool {
        state.withLock { state in
            guard state.reserved < state.left else { return false }
            state.reserved += 1
            return true
        }
    }

    /// Releases a reserved place whose reading is not printed.
    func cancelReservation() { state.withLock { $0.reserved -= 1 } }

    /// Prints a reading, unless the limit is reached. A reserved place is used.
    @Sendable func emit(_ reading: MonitorReading) {
        let isLast = state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            state.reserved = max(0, state.reserved - 1)
            state.count += 1
            // Under the lock, so that the numbers follow the order of the output.
            print(reading, state.count)
            return state.left == 0
        }
        if isLast { done() }
    }
}
