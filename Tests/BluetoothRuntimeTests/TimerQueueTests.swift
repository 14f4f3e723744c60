import Testing

@testable import BluetoothRuntime

@Suite struct TimerQueueTests {
    private let queue = TimerQueue()

    private func at(_ nanoseconds: Int64) -> RadioInstant { RadioInstant(nanoseconds: nanoseconds) }

    /// Records the names of fired timers.
    private final class Log {
        var names: [String] = []
    }

    @Test func firesInOrderOfDeadlineThenOfArming() {
        let log = Log()
        let timers = ["a", "b", "c", "d"].map { name in queue.makeTimer { log.names.append(name) } }
        timers[0].arm(at: at(30))
        timers[1].arm(at: at(10))
        timers[2].arm(at: at(30))
        timers[3].arm(at: at(20))
        // Armed again, it comes after the one with the same deadline.
        timers[0].arm(at: at(30))
        #expect(queue.nextDeadline == at(10))
        queue.fire(upTo: at(9))
        #expect(log.names.isEmpty)
        queue.fire(upTo: at(30))
        #expect(log.names == ["b", "d", "c", "a"])
        #expect(queue.nextDeadline == nil)
        queue.fire(upTo: at(1000))
        #expect(log.names.count == 4)
    }

    @Test func timersCanBeMovedInBothDirectionsAndDisarmed() {
        let log = Log()
        let moved = queue.makeTimer { log.names.append("moved") }
        let other = queue.makeTimer { log.names.append("other") }
        moved.arm(at: at(10))
        other.arm(at: at(50))
        moved.arm(at: at(100))
        queue.fire(upTo: at(60))
        #expect(log.names == ["other"])
        #expect(moved.isArmed && !other.isArmed)
        moved.arm(at: at(70))
        #expect(queue.nextDeadline == at(70))
        queue.fire(upTo: at(70))
        #expect(log.names == ["other", "moved"])
        moved.arm(at: at(80))
        moved.disarm()
        moved.disarm()
        #expect(queue.nextDeadline == nil)
        moved.arm(at: at(90))
        queue.fire(upTo: at(90))
        #expect(log.names == ["other", "moved", "moved"])
    }

    @Test func aTimerMayChangeAnyTimerWhileItFires() {
        let log = Log()
        var first: QueuedTimer?
        let second = queue.makeTimer { log.names.append("second") }
        let third = queue.makeTimer { log.names.append("third") }
        let fourth = queue.makeTimer { log.names.append("fourth") }
        first = queue.makeTimer {
            log.names.append("first")
            guard log.names.count == 1 else { return }
            second.disarm()
            third.arm(at: RadioInstant(nanoseconds: 21))
            // A timer armed during the call for an instant in the past fires in the next call.
            first?.arm(at: RadioInstant(nanoseconds: 1))
        }
        first?.arm(at: at(10))
        second.arm(at: at(11))
        third.arm(at: at(12))
        fourth.arm(at: at(13))
        queue.fire(upTo: at(20))
        #expect(log.names == ["first", "fourth"])
        #expect(queue.nextDeadline == at(1))
        queue.fire(upTo: at(20))
        #expect(log.names == ["first", "fourth", "first"])
        queue.fire(upTo: at(21))
        #expect(log.names == ["first", "fourth", "first", "third"])
        first = nil
    }

    @Test func aTimerRearmedForNowDoesNotStarveOthers() {
        var count = 0
        var timer: QueuedTimer?
        timer = queue.makeTimer {
            count += 1
            timer?.arm(at: RadioInstant(nanoseconds: 0))
        }
        timer?.arm(at: at(5))
        for _ in 0..<3 { queue.fire(upTo: at(5)) }
        #expect(count == 3)
        timer?.disarm()
        timer = nil
    }

    @Test func reportsAnEarlierDeadline() {
        var count = 0
        queue.onEarlierDeadline = { count += 1 }
        let one = queue.makeTimer {}
        let two = queue.makeTimer {}
        one.arm(at: at(100))
        two.arm(at: at(200))
        #expect(count == 1)
        one.arm(at: at(300))
        #expect(count == 1)
        two.arm(at: at(50))
        #expect(count == 2)
    }

    @Test func disarmedTimersAreReleased() {
        final class Owner {}
        weak var last: Owner?
        let kept = queue.makeTimer {}
        kept.arm(at: at(1))
        for _ in 0..<1000 {
            let owner = Owner()
            last = owner
            let timer = queue.makeTimer { _ = owner }
            timer.arm(at: at(1_000_000))
            timer.disarm()
        }
        for _ in 0..<64 {
            let timer = queue.makeTimer {}
            timer.arm(at: at(1_000_000))
            timer.disarm()
        }
        #expect(last == nil)
        #expect(queue.nextDeadline == at(1))
    }

    @Test func aTimerMayOutliveTheQueue() {
        var queue: TimerQueue? = TimerQueue()
        let timer = queue?.makeTimer {}
        timer?.arm(at: at(1))
        queue = nil
        timer?.disarm()
        #expect(timer?.isArmed == false)
    }

    @Test func agreesWithAPlainListUnderRandomChanges() {
        var random = SplitMix(state: 7)
        var expected: [Int: Int64] = [:]
        var fired: [Int] = []
        var now: Int64 = 0
        let timers = (0..<50).map { index in queue.makeTimer { fired.append(index) } }
        for _ in 0..<20_000 {
            let index = Int(random.next() % 50)
            switch random.next() % 4 {
            case 0, 1:
                let deadline = now + 1 + Int64(random.next() % 1000)
                timers[index].arm(at: at(deadline))
                expected[index] = deadline
            case 2:
                timers[index].disarm()
                expected[index] = nil
            default:
                now += Int64(random.next() % 200)
                fired = []
                queue.fire(upTo: at(now))
                let due = expected.filter { $0.value <= now }
                let isRight =
                    Set(fired) == Set(due.keys) && fired.count == due.count
                    && fired.map { due[$0] ?? 0 } == due.values.sorted()
                if !isRight { Issue.record("fired \(fired) in place of \(due)") }
                for index in due.keys { expected[index] = nil }
            }
            let next = queue.nextDeadline?.nanoseconds
            if (next ?? .max) > (expected.values.min() ?? .max) || (next == nil) != expected.isEmpty {
                Issue.record("the next deadline is \(next ?? -1) for \(expected)")
            }
        }
    }
}

/// A small generator with a seed, for tests that must repeat.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
