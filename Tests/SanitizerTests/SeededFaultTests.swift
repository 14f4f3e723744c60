import Foundation
import Synchronization
import Testing

/// Faults that `make sanitize` seeds with `HARALD_SEEDED_FAULT=race` or `=overflow`, to check that a sanitizer finds
/// one. Without it the same code has no fault.
@Suite struct SeededFaultTests {
    private static let seeded = ProcessInfo.processInfo.environment["HARALD_SEEDED_FAULT"]

    /// A counter that threads share.
    // The seeded fault is that nothing proves this.
    private final class Counter: @unchecked Sendable {
        var value = 0
        let lock = NSLock()

        func add(isLocked: Bool) {
            if isLocked { lock.lock() }
            value += 1
            if isLocked { lock.unlock() }
        }
    }

    @Test func twoThreadsCount() {
        let counter = Counter(), isLocked = Self.seeded != "race"
        let ended = DispatchGroup()
        for _ in 0..<2 {
            ended.enter()
            let thread = Thread {
                for _ in 0..<10_000 { counter.add(isLocked: isLocked) }
                ended.leave()
            }
            thread.start()
        }
        ended.wait()
        if isLocked { #expect(counter.value == 20_000) }
    }

    @Test func aPointerReachesTheLastByte() {
        let count = 16
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        bytes.initialize(repeating: 7, count: count)
        defer { bytes.deallocate() }
        // Only the sanitizer checks an access through a pointer.
        let last = Self.seeded == "overflow" ? count : count - 1
        #expect(bytes[last] == 7 || Self.seeded != nil)
    }
}
