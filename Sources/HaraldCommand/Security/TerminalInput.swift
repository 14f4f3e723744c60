import Foundation
import Synchronization

/// Prompts the person at the terminal.
enum TerminalInput {
    /// True if a person can answer: prompts go to standard error, answers come from standard input.
    static let isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1

    /// The latest question; the next one waits for its answer.
    private static let last = Mutex<Task<String?, Never>?>(nil)

    /// Prompts for a line and returns it; nil if there is none, or the task was cancelled. Concurrent prompts are shown
    /// one after the other.
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
                // On a separate thread: waiting for a person must not block the concurrency pool.
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
        // The answer is no longer needed; following output starts on a new line.
        Console.endPrompt()
        return nil
    }
}

/// A flag that is set once and can be read from all threads.
final class SharedFlag: Sendable {
    private let value = Mutex(false)
    func set() { value.withLock { $0 = true } }
    var isSet: Bool { value.withLock { $0 } }
}
