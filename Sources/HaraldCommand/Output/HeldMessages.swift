import Foundation
import Synchronization

/// Messages that wait while a screen is drawn: on the same terminal they would stand in the middle of it.
final class HeldMessages: Sendable {
    static let shared = HeldMessages()
    private static let limit = 100

    private struct State {
        /// Takes each message while it waits; nil where messages go to standard error at once.
        var take: (@Sendable (String) -> Void)?
        var lines: [String] = []
        var droppedCount = 0
    }

    private let state = Mutex(State())

    /// Holds messages from now on, where standard error is a terminal.
    /// - Parameter take: is given each message, to show it on the screen.
    func begin(_ take: @escaping @Sendable (String) -> Void = { _ in }) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        state.withLock { $0.take = take }
    }

    /// Holds a line of standard error.
    /// - Returns: false where nothing is held.
    func hold(_ line: String) -> Bool {
        let take = state.withLock { state -> (@Sendable (String) -> Void)? in
            guard let take = state.take else { return nil }
            if state.lines.count == Self.limit {
                state.lines.removeFirst()
                state.droppedCount += 1
            }
            state.lines.append(line)
            return take
        }
        take?(line)
        return take != nil
    }

    /// Writes the messages to standard error and holds none any more.
    func end() {
        let (lines, dropped) = state.withLock { state in
            defer { state = State() }
            return (state.lines, state.droppedCount)
        }
        if dropped > 0 { Console.writeError("harald: \(dropped) earlier messages were left out\n") }
        Console.writeError(lines.joined())
    }
}
