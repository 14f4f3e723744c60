import Testing

@testable import BluetoothRuntime

/// A loop without a thread, which a simulation drives.
struct DrivenLoopTests {
    @Test func aDrivenLoopRunsOnlyWhenDriven() {
        let clock = RadioClock.manual()
        let loop = RadioLoop.driven(clock: clock)
        let log = Log()
        #expect(!loop.hasWork)
        loop.execute { log.add("call") }
        #expect(loop.hasWork)
        #expect(!loop.hasThread)
        #expect(log.lines.isEmpty)
        loop.drive()
        #expect(log.lines == ["call"])
        #expect(!loop.hasWork)
    }

    @Test func timersFireAfterASteppedClockWhenDriven() {
        let clock = RadioClock.manual()
        let loop = RadioLoop.driven(clock: clock)
        let log = Log()
        var timer: QueuedTimer?
        let isEntered = loop.runInline {
            timer = loop.makeTimer { log.add("timer") }
            timer?.arm(at: loop.now + .seconds(3))
        }
        #expect(isEntered)
        #expect(loop.nextTimer == clock.now + .seconds(3))
        clock.step(to: clock.now + .seconds(2))
        loop.drive()
        #expect(log.lines.isEmpty)
        clock.step(to: clock.now + .seconds(1))
        #expect(loop.hasWork)
        loop.drive()
        #expect(log.lines == ["timer"])
        #expect(loop.nextTimer == nil)
        withExtendedLifetime(timer) {}
    }

    /// Code outside of a turn is not on the loop, and enters it only where no work is enqueued.
    @Test func aDrivenLoopCanBeEnteredBetweenTurnsOnly() {
        let loop = RadioLoop.driven(clock: .manual())
        #expect(!loop.isOnLoop)
        let isEntered = loop.runInline { #expect(loop.isOnLoop) }
        #expect(isEntered)
        loop.execute { #expect(loop.isOnLoop) }
        let isEnteredBefore = loop.runInline {}
        #expect(!isEnteredBefore)
        loop.drive()
        #expect(!loop.isOnLoop)
        let isEnteredAfter = loop.runInline {}
        #expect(isEnteredAfter)
    }
}

/// The log of events, in order; confined to one thread.
private final class Log: @unchecked Sendable {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}
