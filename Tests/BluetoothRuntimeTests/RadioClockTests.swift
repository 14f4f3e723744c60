import Synchronization
import Testing

@testable import BluetoothRuntime

@Suite(.timeLimit(.minutes(1))) struct RadioClockTests {
    @Test func aManualClockStopsAtEveryDeadline() async {
        let clock = RadioClock.manual()
        let one = RadioLoop(clock: clock)
        let two = RadioLoop(clock: clock)
        let log = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { text in
            let time = clock.now.nanoseconds / 1_000_000
            log.withLock { $0.append("\(text)@\(time)") }
        }
        for (loop, name, milliseconds) in [(one, "a", 30), (two, "b", 10), (one, "c", 20)] {
            await loop.run {
                let timer = loop.makeTimer { note(name) }
                timer.arm(at: loop.now + .milliseconds(milliseconds))
            }
        }
        await clock.advance(by: .milliseconds(25))
        #expect(log.withLock { $0 } == ["b@10", "c@20"])
        #expect(clock.now == RadioInstant(nanoseconds: 25_000_000))
        await clock.advance(by: .seconds(1))
        #expect(log.withLock { $0 } == ["b@10", "c@20", "a@30"])
    }

    @Test func timersArmedByTimersFireWithinTheStep() async {
        let clock = RadioClock.manual()
        let loop = RadioLoop(clock: clock)
        let count = Mutex(0)
        await loop.run {
            var timer: QueuedTimer?
            timer = loop.makeTimer {
                count.withLock { $0 += 1 }
                timer?.arm(at: loop.now + .milliseconds(100))
            }
            timer?.arm(at: loop.now + .milliseconds(100))
        }
        await clock.advance(by: .seconds(1))
        #expect(count.withLock { $0 } == 10)
    }

    /// A step includes the work between an operation that completes immediately and the next timer of the same task.
    @Test func aStepWaitsForResumedTasks() async {
        let clock = RadioClock.manual()
        let loop = RadioLoop(clock: clock)
        let tasks = (0..<20).map { _ in
            Task(executorPreference: loop) {
                var times: [Int64] = []
                for _ in 0..<5 {
                    await withUnsafeContinuation { loop.resume($0) }
                    await withUnsafeContinuation { continuation in
                        loop.makeTimer { loop.resume(continuation) }.arm(at: loop.now + .seconds(1))
                    }
                    times.append(clock.now.nanoseconds / 1_000_000)
                }
                return times
            }
        }
        await clock.advance(by: .seconds(10))
        for task in tasks { #expect(await task.value == [1000, 2000, 3000, 4000, 5000]) }
    }

    @Test func aYearCanBeOneStep() async {
        let clock = RadioClock.manual()
        let loop = RadioLoop(clock: clock)
        let year = Duration.seconds(365 * 86_400)
        let count = Mutex(0)
        await loop.run {
            let timer = loop.makeTimer { count.withLock { $0 += 1 } }
            timer.arm(at: loop.now + year)
        }
        // With real time this test would not end.
        await clock.advance(by: year - .seconds(1))
        #expect(count.withLock { $0 } == 0)
        await clock.advance(by: .seconds(1))
        #expect(count.withLock { $0 } == 1)
        #expect(await loop.run { loop.now } == .start + year)
    }

    @Test func timersDueNowNeedNoStep() async {
        let loop = RadioLoop(clock: .manual())
        await withCheckedContinuation { continuation in
            loop.execute {
                let timer = loop.makeTimer { continuation.resume() }
                timer.arm(at: loop.now)
            }
        }
    }

    @Test func aLoopThatWaitsForAStepHasNoThread() async throws {
        let clock = RadioClock.manual()
        let loop = RadioLoop(clock: clock, idleNanoseconds: 1)
        let count = Mutex(0)
        await loop.run {
            let timer = loop.makeTimer { count.withLock { $0 += 1 } }
            timer.arm(at: loop.now + .seconds(1))
        }
        while loop.hasThread { try await Task.sleep(for: .milliseconds(1)) }
        await clock.advance(by: .seconds(1))
        #expect(count.withLock { $0 } == 1)
    }

    @Test func deferredCallsOfATimerRunBeforeTheNextDeadline() async {
        let clock = RadioClock.manual()
        let loop = RadioLoop(clock: clock)
        let seen = Mutex<[Int64]>([])
        await loop.run {
            let second = LoopBound(confined: loop.makeTimer { seen.withLock { $0.append(2) } }, loop: loop)
            let first = loop.makeTimer {
                loop.executeNext {
                    loop.execute {
                        seen.withLock { $0.append(1) }
                        second.value.arm(at: loop.now + .milliseconds(1))
                    }
                }
            }
            first.arm(at: loop.now + .milliseconds(1))
        }
        await clock.advance(by: .milliseconds(2))
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test func instantsDoNotOverflow() {
        let far = RadioInstant.start + .seconds(Int64.max)
        #expect(far.nanoseconds == .max)
        #expect(far + .seconds(1) == far)
        #expect(far - .start == .nanoseconds(Int64.max))
    }
}
