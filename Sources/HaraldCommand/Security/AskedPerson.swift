/// Somebody who can be asked for a line.
protocol AskedPerson: Sendable {
    /// Whether anybody is there.
    var isThere: Bool { get }
    /// Asks, and returns the line that was entered, without spaces around it; nil where there is none, or the task was
    /// cancelled.
    func line(_ question: String) async -> String?
}

/// The person at the terminal of the process.
struct PersonAtTerminal: AskedPerson {
    var isThere: Bool { TerminalInput.isInteractive }
    func line(_ question: String) async -> String? { await TerminalInput.line(question) }
}
