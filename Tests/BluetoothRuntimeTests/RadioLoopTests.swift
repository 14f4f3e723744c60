import Synchronization
import TestSupport
import Testing

@testable import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(2))) struct RadioLoopTests {
    private let loop = RadioLoop()

    @Test func workRunsInOrderOnOneThread() async {
        #expect(!loop.isOnLoop)
        let log = Mutex<[Int]>([])
        for number in 0..<1000 { loop.execute { [loop] in log.withLock { $0.append(loop.isOnLoop ? number : -1) } } }
        await loop.run {}
        #expect(log.withLock { $0 } == Array(0..<1000))
    }

    @Test func deferredCallsRunLaterButBeforeOutsideWork() async {
        let log = Mutex<[String]>([])
        @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
        await loop.run { [loop] in
            loop.execute { note("outside") }
            loop.executeNext {
                note("later")
                loop.executeNext { note("later of later") }
            }
            note("now")
        }
        await loop.run {}
        #expect(log.withLock { $0 } == ["now", "later", "later of later", "outside"])
    }

    @Test func endlessDeferredCallsDoNotStarveOtherWork() async {
        let chain = Chain()
        await loop.run { [loop] in chain.start(on: loop) }
        // Returns although the chain never ends, and a timer fires too.
        await loop.run {}
        let timer = Mutex(false)
        await withCheckedContinuation { continuation in
            loop.execute { [loop] in
                let queued = loop.makeTimer {
                    timer.withLock { $0 = true }
                    continuation.resume()
                }
                queued.arm(at: loop.now + .milliseconds(1))
            }
        }
        #expect(timer.withLock { $0 })
        await loop.run { chain.stop() }
    }

    @Test func noWakeUpIsLostUnderManyCallers() async {
        let total = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [loop] in
                    for _ in 0..<500 {
                        let before = await loop.run { total.value }
                        loop.execute { total.with { $0 += 1 } }
                        let after = await loop.run { total.value }
                        if after <= before { Issue.record("\(after) after \(before)") }
                    }
                }
            }
        }
        #expect(total.value == 4000)
    }

    @Test func theThreadEndsWhenIdleAndStartsAgain() async throws {
        // The idle time is so short that the thread ends between most calls.
        let loop = RadioLoop(clock: .real, idleNanoseconds: 1)
        for round in 0..<300 {
            let value = await loop.run { round }
            #expect(value == round)
            if round % 3 == 0 { try await Task.sleep(for: .microseconds(900 + round * 2)) }
        }
        while loop.hasThread { try await Task.sleep(for: .milliseconds(1)) }
        let isOnLoop = await loop.run { loop.isOnLoop }
        #expect(isOnLoop)
    }

    @Test func anUnusedLoopIsReleased() async throws {
        weak var last: RadioLoop?
        do {
            let loop = RadioLoop(clock: .real, idleNanoseconds: 1)
            last = loop
            await loop.run {}
        }
        while last != nil { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func timersFireOnRealTime() async {
        let loop = loop
        let start = loop.now
        let fired: RadioInstant = await withCheckedContinuation { continuation in
            loop.execute {
                let timer = loop.makeTimer { continuation.resume(returning: loop.now) }
                timer.arm(at: start + .milliseconds(5))
            }
        }
        #expect(fired >= start + .milliseconds(5))
    }

    @Test func timersOfAFasterClockFireEarlier() async {
        let loop = RadioLoop(clock: .faster(by: 10_000))
        let start = loop.now
        await withCheckedContinuation { continuation in
            loop.execute {
                let timer = loop.makeTimer { continuation.resume() }
                timer.arm(at: start + .seconds(60))
            }
        }
        #expect(loop.now >= start + .seconds(60))
    }
}

/// Enqueues itself with `executeNext` without end.
private final class Chain: Sendable {
    private let isRunning = Mutex(true)

    func start(on loop: RadioLoop) {
        loop.executeNext {
            if self.isRunning.withLock({ $0 }) { self.start(on: loop) }
        }
    }

    func stop() { isRunning.withLock { $0 = false } }
}
