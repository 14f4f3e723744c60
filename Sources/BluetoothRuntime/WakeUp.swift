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

/// Something to wait for beside sockets: makes a loop's wait return. A counter of the kernel's on Linux, which nobody has
/// to read, and a pipe to oneself elsewhere.
struct WakeUp: ~Copyable, Sendable {
    /// The end to wait at for reading.
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
        // Without descriptors nothing can be opened at all; there is no caller who could go on.
        guard status == 0 else { fatalError("no file descriptor left for the radio's loop") }
    }

    deinit {
        close(readEnd)
        if writeEnd != readEnd { close(writeEnd) }
    }

    /// Makes the wait that runs, or the next one, return. A pipe that is full does that already.
    func signal() {
        var one: UInt64 = 1
        while write(writeEnd, &one, 8) < 0, errno == EINTR {}
    }

    /// Takes the signals, where they have to be taken; what a call leaves makes the loop look once more.
    func clear() {
        #if !(os(Linux) || os(Android))
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(readEnd, &bytes, 16)
        #endif
    }
}
