import Explorer
import Foundation
import Synchronization

/// The output of the program: results on standard output, everything else on standard error.
enum Console {
    /// Keeps lines whole: only one is written at a time.
    private static let lock = Mutex(())
    /// The line that a person is typing, which output must not disturb: the bytes that erase it, and a closure that
    /// returns the bytes that draw it again.
    private static let editing = Mutex<(erase: [UInt8], draw: @Sendable () -> [UInt8])?>(nil)

    /// Sets the line that a person is typing at the end of the output; nil if there is none any more.
    static func setEditing(_ line: (erase: [UInt8], draw: @Sendable () -> [UInt8])?) { editing.withLock { $0 = line } }

    /// Returns output with the line that a person is typing after it.
    private static func aroundLine(_ bytes: [UInt8]) -> [UInt8] {
        guard let line = editing.withLock({ $0 }) else { return bytes }
        return line.erase + bytes + line.draw()
    }

    /// True if standard output is a file that is not empty.
    static var isAppending: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    /// Prints a line of the result.
    static func line(_ text: String) { write(text + "\n") }

    /// Prints a line of the result that may be long. In a terminal it is wrapped, with this indent.
    static func line(_ text: String, indent: Int) {
        let wrapped = Terminal.width.map {
            TerminalText.wrap(text, to: $0, indent: String(repeating: " ", count: indent)).joined(separator: "\n")
        }
        // In one write, so that no other line comes between.
        line(wrapped ?? text)
    }

    /// Prints a JSON object on a line of its own.
    static func json(_ value: JSONValue) { line(value.text) }

    /// Writes text of the result unchanged.
    static func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes of the result unchanged.
    static func write(_ bytes: [UInt8]) {
        let problem = lock.withLock { _ in write(aroundLine(bytes), to: STDOUT_FILENO) }
        if let problem { Interruption.shared.outputEnded(problem) }
    }

    /// Prints a message on standard error.
    static func message(_ text: String) {
        let line = "harald: " + TerminalText.safe(text, keepingNewlines: true) + "\n"
        if HeldMessages.shared.hold(line) { return }
        _ = lock.withLock { _ in write(aroundLine(Array(line.utf8)), to: STDERR_FILENO) }
    }

    /// Writes to the terminal as it is, such as the line that a person is typing.
    static func draw(_ bytes: [UInt8]) { _ = lock.withLock { _ in write(bytes, to: STDOUT_FILENO) } }

    /// Writes text to standard error unchanged.
    static func writeError(_ text: String) {
        _ = lock.withLock { _ in write(aroundLine(Array(text.utf8)), to: STDERR_FILENO) }
    }

    /// Prints a question whose answer follows on the same line.
    static func prompt(_ text: String) {
        let bytes = Array(("harald: " + text).utf8)
        _ = lock.withLock { _ in write(bytes, to: STDERR_FILENO) }
    }

    /// Ends the line of a question that no longer needs an answer.
    static func endPrompt() { _ = lock.withLock { _ in write([0x0A], to: STDERR_FILENO) } }

    /// Writes all bytes. Returns the `errno` of a failure; nil on success.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
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
