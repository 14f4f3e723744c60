import Synchronization
import TestSupport
import Testing

@testable import BluetoothRuntime

@Suite struct CallerTurnPolicyTests {
    private func policy(_ wait: CallerTurnPolicy.Wait) -> CallerTurnPolicy {
        var policy = CallerTurnPolicy()
        if wait != .none { for _ in 0..<CallerTurnPolicy.leastInside { policy.operationEnded(inside: true) } }
        if wait == .long { for _ in 0..<CallerTurnPolicy.mostCollisions { policy.callBegan(hasWaited: true) } }
        return policy
    }

    @Test func callersWaitWhileOperationsEndInsideTheirCalls() {
        var policy = CallerTurnPolicy()
        for _ in 1..<CallerTurnPolicy.leastInside { policy.operationEnded(inside: true) }
        #expect(policy.wait == .none)
        policy.operationEnded(inside: true)
        #expect(policy.wait == .short)
        policy.operationEnded(inside: false)
        #expect(policy.wait == .none)
        policy.operationEnded(inside: true)
        #expect(policy.wait == .none)
    }

    @Test func callersThatOftenWaitWaitLong() {
        var policy = policy(.short)
        for _ in 0..<100 {
            policy.callBegan(hasWaited: true)
            policy.callBegan(hasWaited: false)
        }
        #expect(policy.wait == .short)
        for _ in 0..<CallerTurnPolicy.mostCollisions { policy.callBegan(hasWaited: true) }
        #expect(policy.wait == .long)
        policy.waitedInVain()
        #expect(policy.wait == .short)
    }

    @Test func aCallerThatWaitsLongHasItsTurnAfterSomeCalls() {
        var (short, long) = (policy(.short), policy(.long))
        let turn = CallerTurnPolicy.callsInTurn
        let calls = 1...turn + 1
        #expect(calls.filter { _ in short.callEnded() } == [1, turn, turn + 1])
        #expect(calls.filter { _ in long.callEnded() } == [turn])
        short.callBegan(hasWaited: true)
        let next = short.callEnded()
        #expect(next)
    }
}

#if os(Linux)
import Glibc

/// Callers on several threads that wait for each other.
@Suite(.timeLimit(.minutes(2))) struct CallerTurnTests {
    private let loop = RadioLoop(clock: .real, idleNanoseconds: 3_600_000_000_000)

    /// A lock whose callers wait, and which is taken.
    private static func takenLock(naps: Int, nap: Int = 8) -> TurnLock {
        let lock = TurnLock(naps: naps, nap: nap)
        lock.lock()
        for _ in 0..<CallerTurnPolicy.leastInside { lock.operationEnded(inside: true) }
        return lock
    }

    /// A caller on another thread.
    private final class Caller: Sendable {
        /// True if it had its turn, false if it gave up; nil until then.
        let outcome = Locked<Bool?>(nil)

        init(_ lock: TurnLock) {
            let status = DetachedThread.start { [self] in
                let isLocked = lock.lockAsCaller { true }
                if isLocked { lock.unlockAsCaller() }
                outcome.with { $0 = isLocked }
            }
            #expect(status == 0)
        }

        func end() async -> Bool {
            while true {
                if let outcome = outcome.value { return outcome }
                await Task.yield()
            }
        }
    }

    @Test(arguments: [true, false])
    func aCallerWaitsForTheEndOfATurn(_ isCallers: Bool) async {
        let lock = Self.takenLock(naps: .max)
        let caller = Caller(lock)
        while !lock.hasWaiting, caller.outcome.value == nil { await Task.yield() }
        if isCallers { lock.unlockAsCaller() } else { lock.unlock() }
        #expect(await caller.end())
        #expect(!lock.hasWaiting)
        lock.deallocate()
    }

    @Test func aCallerFollowsOneThatMakesNoCallsAnyMore() async {
        let lock = Self.takenLock(naps: .max, nap: .max)
        // After so many waits the end of a call opens no gate: a turn has more of them.
        for _ in 0...CallerTurnPolicy.mostCollisions {
            let caller = Caller(lock)
            while !lock.hasWaiting, caller.outcome.value == nil { await Task.yield() }
            lock.unlockAsCaller()
            #expect(await caller.end())
            lock.lock()
        }
        lock.unlock()
        lock.deallocate()
    }

    @Test func aCallerGivesUp() async {
        let lock = Self.takenLock(naps: 2)
        #expect(await !Caller(lock).end())
        #expect(!lock.hasWaiting)
        lock.unlock()
        lock.deallocate()
    }

    @Test func aCallerDoesNotWaitForOperationsThatEndLater() async {
        let lock = Self.takenLock(naps: .max)
        lock.operationEnded(inside: false)
        #expect(await !Caller(lock).end())
        lock.unlock()
        lock.deallocate()
    }

    /// Makes operations that end inside their calls, until callers wait.
    private func operate() async {
        await loop.run { [loop] in
            for _ in 0..<CallerTurnPolicy.leastInside { loop.operationEnded(since: loop.operationBegan()) }
        }
    }

    @Test func aCallerInsideDoesNotWaitForItself() async {
        await operate()
        let enterTwice: () -> Void = { [loop] in #expect(!loop.enter { Issue.record("somebody is inside") }) }
        while !loop.enter(enterTwice) { await Task.yield() }
    }

    @Test func everyCallOfCompetingThreadsHasItsTurn() async {
        await operate()
        // Proof of `@unchecked Sendable`: accessed on the loop only, which the test checks.
        final class Counter: @unchecked Sendable { var value = 0 }
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [loop] in
                    let operate: @Sendable () -> Void = {
                        let began = loop.operationBegan()
                        counter.value += 1
                        loop.operationEnded(since: began)
                    }
                    for _ in 0..<2000 { if !loop.enter(operate) { await loop.run(operate) } }
                }
            }
        }
        #expect(await loop.run { counter.value } == 16_000)
        #expect(!loop.turnLock.hasWaiting)
    }
}
#endif
