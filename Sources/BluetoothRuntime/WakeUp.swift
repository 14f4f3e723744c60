#if os(Linux) || os(Android)
import CLinuxPolling
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A descriptor that makes a loop's wait return: an eventfd on Linux, which need not be read, and a pipe elsewhere.
struct WakeUp: ~Copyable, Sendable {
    /// The descriptor to wait for.
    let readEnd: Int32
    private let writeEnd: Int32

    init() {
        #if os(Linux) || os(Android)
        let counter = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        let status = counter < 0 ? -1 : 0
        (readEnd, writeEnd) = (counter, counter)
        #else
        var ends: [Int32] = [-1, -1]
        let status = pipe(&ends)
        for end in ends where status == 0 {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        #endif
        // Proof that the program must end: without a descriptor the loop cannot be woken up, and its thread has no
        // caller that could handle an error.
        guard status == 0 else { fatalError("no file descriptor is available for the adapter's loop") }
    }

    deinit {
        close(readEnd)
        if writeEnd != readEnd { close(writeEnd) }
    }

    /// Makes the current wait, or the next one, return. A full pipe does that already.
    func signal() {
        var one: UInt64 = 1
        while write(writeEnd, &one, 8) < 0, errno == EINTR {}
    }

    #if os(Linux) || os(Android)
    /// Waits for a signal, and for this time at most; returns true if there was one.
    func wait(milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, milliseconds) > 0
    }

    /// Reads the signals, so that ``wait(milliseconds:)`` waits for a later one.
    func drain() {
        var count: UInt64 = 0
        _ = read(readEnd, &count, 8)
    }
    #endif

    /// Reads the signals, if they have to be read; a signal that is left causes one more turn of the loop.
    func clear() {
        #if !(os(Linux) || os(Android))
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(readEnd, &bytes, 16)
        #endif
    }
}
