import Synchronization
import TestSupport
import Testing

@testable import BluetoothRuntime

/// An actor that lives on a loop, as the owners of the stack do.
private actor Tenant {
    private let loop: RadioLoop
    private(set) var count = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actors.asUnownedSerialExecutor() }

    init(on loop: RadioLoop) { self.loop = loop }

    func step() -> Bool {
        count += 1
        return loop.isOnLoop
    }

    nonisolated func stepFromCallback() {
        assumeIsolated { _ = $0.step() }
    }

    func calls(_ neighbour: Tenant) async -> Bool { await neighbour.step() && loop.isOnLoop }

    /// Returns true if another job ran between a check and the wait that depends on it.
    func isInterrupted() async -> Bool {
        let others = Locked(false)
        loop.execute { others.with { $0 = true } }
        var isInterrupted = false
        await withCheckedContinuation { continuation in
            isInterrupted = others.value
            continuation.resume()
        }
        await pass()
        return isInterrupted
    }

    private func pass() async {}
}

@Suite(.timeLimit(.minutes(1))) struct LoopExecutorTests {
    private let loop = RadioLoop()

    @Test func actorsRunOnTheLoop() async {
        let tenant = Tenant(on: loop)
        #expect(await tenant.step())
    }

    @Test func callbacksOfTheLoopAreIsolatedToItsActors() async {
        let tenant = Tenant(on: loop)
        let loop = loop
        await loop.run { tenant.stepFromCallback() }
        await loop.run { loop.executeNext { tenant.stepFromCallback() } }
        await withCheckedContinuation { continuation in
            loop.execute {
                let timer = loop.makeTimer {
                    tenant.stepFromCallback()
                    continuation.resume()
                }
                timer.arm(at: loop.now)
            }
        }
        #expect(await tenant.count == 3)
    }

    @Test func actorsOfOneLoopCallEachOther() async {
        let one = Tenant(on: loop)
        let two = Tenant(on: loop)
        #expect(await one.calls(two))
        #expect(await Task(executorPreference: loop) { await one.calls(two) }.value)
        #expect(await two.count == 2)
    }

    @Test func anActorOfTheLoopWaitsWithoutAHop() async {
        #expect(await !Tenant(on: loop).isInterrupted())
    }

    /// A write of the public API makes five such calls.
    @Test func aTaskThatPrefersTheLoopCallsWithoutAHop() async {
        let loop = loop
        let hops = await Task(executorPreference: loop) {
            let others = Locked(false)
            loop.execute { others.with { $0 = true } }
            let isOnLoop = await Self.isOn(loop)
            return !isOnLoop || others.value
        }.value
        #expect(!hops)
    }

    @Test func aTaskMayPreferTheLoop() async {
        let loop = loop
        let isOnLoop = await Task(executorPreference: loop) { await Self.isOn(loop) }.value
        #expect(isOnLoop)
        let tenant = Tenant(on: loop)
        #expect(await Task(executorPreference: loop) { await tenant.step() }.value)
    }

    /// Runs a task inside the call that resumes it.
    private final class AtOnce: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test func aTaskResumesAfterTheWholeEvent() async {
        let (loop, order) = (loop, Locked<[String]>([]))
        let waiting = Locked<[UnsafeContinuation<Void, Never>]>([])
        let tasks = ["one", "two"].map { name in
            Task(executorPreference: AtOnce()) {
                await withUnsafeContinuation { continuation in waiting.with { $0.append(continuation) } }
                order.with { $0.append(name) }
                // The first resumed task resumes another.
                for other in waiting.value.dropFirst() where name == "one" { loop.resume(other) }
            }
        }
        #expect(waiting.value.count == 2)
        await loop.run {
            loop.executeNext { order.with { $0.append("later") } }
            loop.resume(waiting.value[0])
            order.with { $0.append("event") }
        }
        for task in tasks { await task.value }
        #expect(order.value == ["event", "later", "one", "two"])
    }

    /// A task whose operations complete immediately does not starve others.
    @Test func aTaskThatNeverSuspendsDoesNotStarveOthers() async {
        let loop = loop
        let isOver = Locked(false)
        let tireless = Task(executorPreference: loop) {
            while !isOver.value { await withUnsafeContinuation { loop.resume($0) } }
        }
        await withCheckedContinuation { continuation in
            loop.execute {
                loop.makeTimer {
                    isOver.with { $0 = true }
                    continuation.resume()
                }.arm(at: loop.now + .milliseconds(1))
            }
        }
        await tireless.value
    }

    private static func isOn(_ loop: RadioLoop) async -> Bool { loop.isOnLoop }
}

@Suite struct LoopBoundTests {
    private final class Confined {
        private let loop: RadioLoop
        private let ended: @Sendable (Bool) -> Void
        init(loop: RadioLoop, ended: @escaping @Sendable (Bool) -> Void) {
            self.loop = loop
            self.ended = ended
        }
        deinit { ended(loop.isOnLoop) }
    }

    @Test func theLoopBoundValueIsReleasedOnTheLoop() async {
        let loop = RadioLoop()
        for _ in 0..<500 {
            let isOnLoop = await withCheckedContinuation { continuation in
                let bound = LoopBound(Confined(loop: loop) { continuation.resume(returning: $0) }, loop: loop)
                // The last reference releases it.
                if Bool.random() { loop.execute { _ = bound.value } }
            }
            #expect(isOnLoop)
        }
    }

    @Test func confinedValuesCanBeCaptured() async {
        let loop = RadioLoop()
        let bound = await loop.run {
            var count = 0
            return LoopBound(
                confined: {
                    count += 1; return count
                }, loop: loop)
        }
        await loop.run { _ = bound.value() }
        #expect(await loop.run { bound.value() } == 2)
    }
}
