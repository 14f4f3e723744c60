import Foundation

/// Keys as they are pressed, where standard input is a terminal.
enum KeyInput {
    enum Key: Hashable, Sendable {
        case up, down, enter
        case character(Character)
    }

    /// The keys; nobody reads them any more once the stream is released.
    static func keys() -> AsyncStream<Key> {
        let (keys, continuation) = AsyncStream<Key>.makeStream(bufferingPolicy: .bufferingNewest(64))
        guard isatty(STDIN_FILENO) == 1 else { return keys }
        Terminal.readKeys()
        let isOver = SharedFlag()
        continuation.onTermination = { _ in isOver.set() }
        // A thread of its own: waiting for a person must not block the ones that the program runs on.
        Thread.detachNewThread {
            while !isOver.isSet {
                var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                guard Foundation.poll(&poll, 1, 100) > 0 else { continue }
                var bytes = [UInt8](repeating: 0, count: 64)
                let count = read(STDIN_FILENO, &bytes, bytes.count)
                guard count > 0 else {
                    if count < 0, errno == EINTR { continue }
                    break
                }
                for key in Self.keys(bytes.prefix(count)) { continuation.yield(key) }
            }
            continuation.finish()
        }
        return keys
    }

    /// What some bytes of a terminal mean.
    static func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        var rest = Array(bytes)[...]
        while let byte = rest.first {
            if rest.starts(with: [0x1B, 0x5B]), rest.count >= 3 {
                switch rest[rest.startIndex + 2] {
                case 0x41: keys.append(.up)
                case 0x42: keys.append(.down)
                default: break
                }
                rest = rest.dropFirst(3)
            } else {
                if byte == 0x0A || byte == 0x0D {
                    keys.append(.enter)
                } else if (0x20..<0x7F).contains(byte) {
                    keys.append(.character(Character(Unicode.Scalar(byte))))
                }
                rest = rest.dropFirst()
            }
        }
        return keys
    }
}
