/// A person who can be prompted for a line.
protocol AskedPerson: Sendable {
    var isThere: Bool { get }
    /// Prompts for a line and returns it without surrounding spaces; nil if there is none, or the task was cancelled.
    func line(_ question: String) async -> String?
}

struct PersonAtTerminal: AskedPerson {
    var isThere: Bool { TerminalInput.isInteractive }
    func line(_ question: String) async -> String? { await TerminalInput.line(question) }
}
