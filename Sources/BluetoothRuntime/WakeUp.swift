#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe to oneself: makes `poll` return.
struct WakeUp: ~Copyable, Sendable {
    /// The end to poll for reading.
    let readEnd: Int32
    private let writeEnd: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        let status = pipe(&ends)
        for end in ends where status == 0 {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        // Without descriptors nothing can be opened at all; there is no caller who could go on.
        guard status == 0 else { fatalError("no file descriptor left for the radio's loop") }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Makes the next `poll`, or the one that runs, return. A full pipe does that already.
    func signal() {
        var byte: UInt8 = 1
        while write(writeEnd, &byte, 1) < 0, errno == EINTR {}
    }

    /// Takes the signals; one call, as there is one signal a sleep. What it leaves makes `poll` return once more.
    func clear() {
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(readEnd, &bytes, 16)
    }
}
