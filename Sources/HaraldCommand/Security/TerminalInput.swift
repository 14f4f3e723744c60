import Foundation
import Synchronization

/// Asks the person at the terminal.
enum TerminalInput {
    /// Whether there is a person: questions go to standard error, answers come from standard input.
    static let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

    /// The question that came last; the next one waits for its answer.
    private static let last = Mutex<Task<String?, Never>?>(nil)

    /// Asks, and returns the line that was entered; nil where there is none, or the task was cancelled. Several
    /// questions are asked one after the other.
    static func line(_ question: String) async -> String? {
        let task = last.withLock { last in
            let task = Task { [last] in
                _ = await last?.value
                return Task.isCancelled ? nil : await ask(question)
            }
            last = task
            return task
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private static func ask(_ question: String) async -> String? {
        Console.prompt(question)
        let isOver = SharedFlag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own: waiting for a person must not block the ones that the program runs on.
                Thread.detachNewThread { continuation.resume(returning: read(until: isOver)) }
            }
        } onCancel: {
            isOver.set()
        }
    }

    private static func read(until isOver: SharedFlag) -> String? {
        var line: [UInt8] = []
        while !isOver.isSet {
            var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard Foundation.poll(&poll, 1, 100) > 0 else { continue }
            var byte: UInt8 = 0
            let count = Foundation.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == 0x0A { return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
            line.append(byte)
        }
        // No answer is needed any more: what comes next begins on a line of its own.
        Console.endPrompt()
        return nil
    }
}

/// Something that happens once, known to all threads.
final class SharedFlag: Sendable {
    private let value = Mutex(false)
    func set() { value.withLock { $0 = true } }
    var isSet: Bool { value.withLock { $0 } }
}
