import Explorer
import Foundation
import Synchronization

/// Where the program writes: what was asked for to standard output, everything else to standard error.
enum Console {
    /// One line at a time, whole.
    private static let lock = Mutex(())

    /// Whether standard output is a file that has something in it already.
    static var isAppending: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    /// A line of what was asked for.
    static func line(_ text: String) { write(text + "\n") }

    /// A line of what was asked for that may be long: in a terminal it goes on in the next one, so far from the margin.
    static func line(_ text: String, indent: Int) {
        let wrapped = Terminal.width.map {
            TerminalText.wrap(text, to: $0, indent: String(repeating: " ", count: indent)).joined(separator: "\n")
        }
        // At once: another line of somebody else's must not come between.
        line(wrapped ?? text)
    }

    /// A JSON object on a line of its own.
    static func json(_ value: JSONValue) { line(value.text) }

    /// Text of what was asked for, as it is.
    static func write(_ text: String) { write(Array(text.utf8)) }

    /// Bytes of what was asked for, as they are.
    static func write(_ bytes: [UInt8]) {
        let problem = lock.withLock { _ in write(bytes, to: STDOUT_FILENO) }
        if let problem { Interruption.shared.outputEnded(problem) }
    }

    /// A message about what happens.
    static func message(_ text: String) {
        let line = "harald: " + TerminalText.safe(text, keepingNewlines: true) + "\n"
        if HeldMessages.shared.hold(line) { return }
        _ = lock.withLock { _ in write(Array(line.utf8), to: STDERR_FILENO) }
    }

    /// Text for standard error, as it is.
    static func writeError(_ text: String) {
        _ = lock.withLock { _ in write(Array(text.utf8), to: STDERR_FILENO) }
    }

    /// A question, to which an answer follows on the same line.
    static func prompt(_ text: String) {
        let bytes = Array(("harald: " + text).utf8)
        _ = lock.withLock { _ in write(bytes, to: STDERR_FILENO) }
    }

    /// Nobody answers the question any more.
    static func endPrompt() { _ = lock.withLock { _ in write([0x0A], to: STDERR_FILENO) } }

    /// Writes everything; an `errno` where that cannot be done.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Foundation.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
