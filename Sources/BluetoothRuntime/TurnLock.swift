#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The lock held by the thread that runs as the loop: the loop's own thread, or a caller while that thread sleeps
/// (``RadioLoop/enter(_:)``).
///
/// It is a pointer, which the loop deallocates: each turn passes it down, and would retain and release an object.
///
/// Proof of `@unchecked Sendable`: the memory is a pthread mutex, which is made for several threads, and the pointer is
/// constant.
struct TurnLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    /// Frees the lock, which nobody may use afterwards.
    func deallocate() {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    func unlock() { pthread_mutex_unlock(mutex) }
}
