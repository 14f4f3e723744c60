import Foundation
import Synchronization

/// The terminal on standard output, where there is one.
enum Terminal {
    /// Whether standard output is a terminal.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether it can redraw lines.
    static let isLive = isTerminal && environment("TERM") != "dumb"

    /// Whether colours are wanted: in a terminal, unless NO_COLOR says otherwise.
    static let hasColours = isLive && (environment("NO_COLOR") ?? "").isEmpty

    /// How many columns and rows it has at the moment.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return (Int(size.ws_col), max(2, Int(size.ws_row)))
        }
        return (environment("COLUMNS").flatMap { Int($0) } ?? 80, 24)
    }

    /// How many columns a line may have: those of the terminal; nil in a pipe and in a file, where a record is a line.
    static var width: Int? { isTerminal ? size.columns : nil }

    private static let cursorIsHidden = Mutex(false)
    /// How the keyboard was before keys were read one by one.
    private static let keyboard = Mutex<termios?>(nil)

    /// Gives keys as they are pressed, without showing them; Ctrl-C stays what it is.
    static func readKeys() {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        let old = settings
        keyboard.withLock { $0 = $0 ?? old }
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Hides the cursor while something is redrawn.
    static func hideCursor() {
        guard isLive else { return }
        cursorIsHidden.withLock { $0 = true }
        Console.write("\u{1B}[?25l")
    }

    /// Leaves the terminal as it was; safe at any time.
    static func restore() {
        let wasHidden = cursorIsHidden.withLock { hidden in
            defer { hidden = false }
            return hidden
        }
        if wasHidden { Console.write("\u{1B}[?25h") }
        let settings = keyboard.withLock { keyboard in
            defer { keyboard = nil }
            return keyboard
        }
        if var settings { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
    }

    private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
