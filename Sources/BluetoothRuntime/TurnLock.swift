#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The lock held by the thread that runs as the loop: the loop's own thread, or a caller while that thread sleeps
/// (``RadioLoop/runInline(until:_:)``). `Mutex` is locked for a closure only.
///
/// Proof of `@unchecked Sendable`: the memory is a pthread mutex, which is made for several threads. The pointer is
/// constant; the loop deallocates it.
struct TurnLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    /// Frees the lock, which must not be used afterwards.
    func deallocate() {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Begins a turn; waits for the end of another.
    func lock() { pthread_mutex_lock(mutex) }

    /// Begins a turn, unless there is another; returns true if it did.
    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    /// Ends a turn.
    func unlock() { pthread_mutex_unlock(mutex) }
}
