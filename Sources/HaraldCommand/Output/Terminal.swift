import Dispatch
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
    private static let suspension = Mutex<(source: (any DispatchSourceSignal)?, count: Int)>((nil, 0))
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
        watchSuspension()
    }

    /// How often the program was suspended and taken to the foreground again: what was drawn is somewhere else then.
    static var resumptions: Int { suspension.withLock { $0.count } }

    /// Ctrl-Z leaves the terminal as it was; who takes the program to the foreground again gets it back as it was, too.
    private static func watchSuspension() {
        suspension.withLock { suspension in
            guard suspension.source == nil else { return }
            signal(SIGTSTP, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: .global())
            source.setEventHandler { suspend() }
            source.resume()
            suspension.source = source
        }
    }

    private static func suspend() {
        if cursorIsHidden.withLock({ $0 }) { Console.write("\u{1B}[?25h") }
        if var settings = keyboard.withLock({ $0 }) { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
        // Everything stands still here until the shell lets it go on: this thread at once, not only when another one of
        // the process has taken the signal.
        raise(SIGSTOP)
        if keyboard.withLock({ $0 != nil }) { readKeys() }
        if cursorIsHidden.withLock({ $0 }) { Console.write("\u{1B}[?25l") }
        suspension.withLock { $0.count += 1 }
    }

    /// Hides the cursor while something is redrawn.
    static func hideCursor() {
        guard isLive else { return }
        cursorIsHidden.withLock { $0 = true }
        watchSuspension()
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
