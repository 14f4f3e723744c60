import Foundation
import Synchronization

/// Holds messages while a screen is drawn on the same terminal, which they would disturb.
final class HeldMessages: Sendable {
    static let shared = HeldMessages()
    private static let limit = 100

    private struct State {
        /// Receives each held message; nil while messages go to standard error directly.
        var take: (@Sendable (String) -> Void)?
        var lines: [String] = []
        var droppedCount = 0
    }

    private let state = Mutex(State())

    /// Starts to hold messages if standard error is a terminal.
    /// - Parameter take: called with each message, to show it on the screen.
    func begin(_ take: @escaping @Sendable (String) -> Void = { _ in }) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        state.withLock { $0.take = take }
    }

    /// Holds a line for standard error.
    /// - Returns: false if messages are not held.
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

    /// Writes the held messages to standard error and stops holding.
    func end() {
        let (lines, dropped) = state.withLock { state in
            defer { state = State() }
            return (state.lines, state.droppedCount)
        }
        if dropped > 0 { Console.writeError("harald: \(dropped) earlier messages were dropped\n") }
        Console.writeError(lines.joined())
    }
}
