import Foundation

/// The lines of standard input, as they arrive.
enum StandardInput {
    /// A line that is longer ends the input.
    private static let maximumLength = 64 * 1024

    /// The lines until the input ends. In a terminal nothing is read while the program is in the background: that would
    /// stop it.
    static var lines: AsyncStream<String> {
        AsyncStream { continuation in
            let isOver = SharedFlag()
            continuation.onTermination = { _ in isOver.set() }
            // A thread of its own: waiting must not block the ones that the program runs on.
            Thread.detachNewThread { read(continuation, until: isOver) }
        }
    }

    private static func read(_ continuation: AsyncStream<String>.Continuation, until isOver: SharedFlag) {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !isOver.isSet {
            var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard Foundation.poll(&poll, 1, 100) > 0 else { continue }
            if isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) != getpgrp() {
                usleep(100_000)
                continue
            }
            let count = Foundation.read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { break }
            for byte in chunk[..<count] {
                if byte == 0x0A {
                    continuation.yield(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
            if line.count > maximumLength { break }
        }
        if !line.isEmpty, line.count <= maximumLength { continuation.yield(String(decoding: line, as: UTF8.self)) }
        continuation.finish()
    }
}
