import Synchronization

/// Prints readings of several devices one after the other, and numbers them in the order in which they are printed.
final class ReadingOutput: Sendable {
    private struct State {
        var count = 0
        var left: Int
    }

    private let state: Mutex<State>
    private let print: @Sendable (MonitorReading, Int) -> Void
    private let done: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: how many readings are printed; nil for all.
    ///   - print: prints a reading with its number; never two at a time.
    ///   - done: called after the last one.
    init(
        limit: Int?, print: @escaping @Sendable (MonitorReading, Int) -> Void, done: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(left: limit ?? .max))
        self.print = print
        self.done = done
    }

    /// Further readings are wanted.
    var wantsMore: Bool { state.withLock { $0.left > 0 } }

    /// Prints a reading, unless there were enough.
    @Sendable func emit(_ reading: MonitorReading) {
        let isLast = state.withLock { state in
            guard state.left > 0 else { return false }
            state.left -= 1
            state.count += 1
            // Under the lock, so that the numbers are in the order of the output.
            print(reading, state.count)
            return state.left == 0
        }
        if isLast { done() }
    }
}
