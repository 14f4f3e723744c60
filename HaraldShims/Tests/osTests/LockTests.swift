import Foundation
import Testing
import os
import os.lock

@Suite struct LockTests {
    @Test func manyThreadsCount() {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 { lock.withLock { $0 += 1 } }
        }
        #expect(lock.withLock { $0 } == 8000)
    }

    @Test func aLockThatIsTakenIsNotAvailable() {
        let lock = OSAllocatedUnfairLock(initialState: 1)
        lock.withLock { _ in
            lock.precondition(.owner)
            // On a thread of its own: a queue may run its work on this one.
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                lock.precondition(.notOwner)
                #expect(lock.withLockIfAvailable { _ in true } == nil)
                isDone.signal()
            }
            isDone.wait()
        }
        lock.precondition(.notOwner)
        #expect(lock.withLockIfAvailable { $0 } == 1)
    }

    @Test func aLockWithoutAState() {
        let lock = OSAllocatedUnfairLock()
        lock.lock()
        lock.unlock()
        #expect(lock.lockIfAvailable())
        lock.unlock()
        #expect(lock.withLock { 5 } == 5)
    }

    @Test func theLockOfC() {
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock())
        defer { lock.deallocate() }
        os_unfair_lock_lock(lock)
        #expect(!os_unfair_lock_trylock(lock))
        os_unfair_lock_assert_owner(lock)
        os_unfair_lock_unlock(lock)
        os_unfair_lock_assert_not_owner(lock)
        #expect(os_unfair_lock_trylock(lock))
        os_unfair_lock_unlock(lock)
    }
}
