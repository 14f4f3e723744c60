import Foundation

/// What a terminal can do, as the environment says.
package struct TerminalFacts: Hashable, Sendable {
    /// Whether there is a terminal.
    package var isTerminal: Bool
    /// Whether it can redraw lines: not with `TERM=dumb`.
    package var isLive: Bool
    /// Whether colours are wanted: not where `NO_COLOR` is set.
    package var hasColours: Bool
    /// The characters that the locale has: `LC_ALL`, else `LC_CTYPE`, else `LANG`, the first that is not empty. Without
    /// any it is the locale C, in ASCII (POSIX.1, 8.2).
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
        // Terminals of these systems are in UTF-8 unless they are told otherwise.
        glyphs = locale == "c" && variable("LANG") != nil || locale == "posix" ? .ascii : .unicode
        #endif
    }
}

/// The terminal on standard output, where there is one.
package enum Terminal {
    /// What it can do.
    package static let facts = TerminalFacts(
        isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)

    /// Whether standard output is a terminal.
    package static var isTerminal: Bool { facts.isTerminal }
    /// Whether it can redraw lines.
    package static var isLive: Bool { facts.isLive }
    /// Whether it redraws lines and standard input is a terminal, too, so that keys can be read.
    package static var isInteractive: Bool { facts.isLive && isatty(STDIN_FILENO) == 1 }
    /// Whether colours are wanted.
    package static var hasColours: Bool { facts.hasColours }
    /// The characters of the locale, also where standard output is a file.
    package static var glyphs: Glyphs { facts.glyphs }

    /// How many columns and rows it has at the moment.
    package static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return (Int(size.ws_col), max(2, Int(size.ws_row)))
        }
        return (ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80, 24)
    }

    /// How many columns a line may have: those of the terminal; nil in a pipe and in a file, where a record is a line.
    package static var width: Int? { isTerminal ? size.columns : nil }

    /// Leaves the terminal as it was before a session, at once and from any thread; does nothing without a session.
    package static func restore() { TerminalRestore.restore() }
}
