import Foundation

/// The capabilities of a terminal according to the environment.
package struct TerminalFacts: Hashable, Sendable {
    /// True if the output is a terminal.
    package var isTerminal: Bool
    /// True if lines can be redrawn; false for `TERM=dumb`.
    package var isLive: Bool
    /// True if colours are permitted; false if `NO_COLOR` is set.
    package var hasColours: Bool
    /// The character set of the locale: the first non-empty one of `LC_ALL`, `LC_CTYPE` and `LANG`. The default is the
    /// locale C, with ASCII (POSIX.1, 8.2).
    package var glyphs: Glyphs

    package init(isTerminal: Bool, environment: [String: String]) {
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        self.isTerminal = isTerminal
        isLive = isTerminal && variable("TERM") != nil && variable("TERM") != "dumb"
        hasColours = isLive && variable("NO_COLOR") == nil
        let locale = (variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C").lowercased()
        #if os(Linux)
        glyphs = locale.contains("utf-8") || locale.contains("utf8") ? .unicode : .ascii
        #else
        // On these systems terminals use UTF-8 by default.
        glyphs = locale == "c" && variable("LANG") != nil || locale == "posix" ? .ascii : .unicode
        #endif
    }
}

/// The terminal on standard output.
package enum Terminal {
    /// The capabilities of the terminal.
    package static let facts = TerminalFacts(
        isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)

    /// True if standard output is a terminal.
    package static var isTerminal: Bool { facts.isTerminal }
    /// True if lines can be redrawn.
    package static var isLive: Bool { facts.isLive }
    /// True if lines can be redrawn and standard input is a terminal, so that keys can be read.
    package static var isInteractive: Bool { facts.isLive && isatty(STDIN_FILENO) == 1 }
    /// True if colours are permitted.
    package static var hasColours: Bool { facts.hasColours }
    /// The character set of the locale, also if standard output is a file.
    package static var glyphs: Glyphs { facts.glyphs }

    /// The current size in columns and rows.
    package static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return (Int(size.ws_col), max(2, Int(size.ws_row)))
        }
        return (ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80, 24)
    }

    /// The maximum width of a line; nil in a pipe or a file, where a record is one line.
    package static var width: Int? { isTerminal ? size.columns : nil }

    /// Restores the terminal to its state before the session, at once and from any thread. Does nothing without a
    /// session.
    package static func restore() { TerminalRestore.restore() }
}
