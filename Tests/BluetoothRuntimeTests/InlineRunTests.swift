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

#if os(Linux) || os(Android)
/// A caller is the loop while the loop's thread sleeps.
@Suite(.timeLimit(.minutes(2))) struct InlineRunTests {
    /// Its thread does not end without work.
    private let loop = RadioLoop(clock: .real, idleNanoseconds: 3_600_000_000_000)

    private func enter(_ body: () -> Void) async { await Self.enter(loop, body) }

    /// Tries until the thread sleeps.
    private static func enter(_ loop: RadioLoop, _ body: () -> Void) async {
        await loop.run {}
        while !loop.runInline(body) {
            // The time limit of the test.
            guard !Task.isCancelled else {
                Issue.record("the thread of the loop never sleeps")
                return
            }
            await Task.yield()
        }
    }

    @Test func theBodyRunsInlineAsTheLoop() async {
        var log: [String] = []
        await enter {
            loop.preconditionOnLoop()
            loop.executeNext {
                loop.preconditionOnLoop()
                log.append("later")
            }
            log.append("now")
        }
        log.append("after")
        #expect(log == ["now", "later", "after"])
        #expect(!loop.isOnLoop)
        await loop.run { [loop] in loop.preconditionOnLoop() }
    }

    @Test func aRunningLoopOrOneWithoutAThreadCannotBeEntered() async {
        #expect(!loop.hasThread)
        #expect(!loop.runInline { Issue.record("it has no thread") })
        await loop.run { [loop] in #expect(!loop.runInline { Issue.record("it is running") }) }
        await enter { #expect(!loop.runInline { Issue.record("somebody is inside") }) }
    }

    @Test func workEnqueuedMeanwhileRunsAfterwards() async {
        let log = Locked<[String]>([])
        await enter {
            loop.execute { log.with { $0.append("asked") } }
            log.with { $0.append("inside") }
        }
        await loop.run {}
        #expect(log.value == ["inside", "asked"])
    }

    @Test func aTimerArmedInsideFires() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Task {
                await enter {
                    let timer = loop.makeTimer { continuation.resume() }
                    timer.arm(at: loop.now + .milliseconds(1))
                }
            }
        }
    }

    @Test func aWatchAddedInsideReceivesEvents() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Task {
                await enter {
                    var watch: FileWatch?
                    watch = loop.watch(readEnd, for: .readable) { _ in
                        watch?.cancel()
                        watch = nil
                        continuation.resume()
                    }
                }
                _ = write(writeEnd, "x", 1)
            }
        }
        for end in ends { close(end) }
    }

    /// Only the loop's thread may close a socket in which it blocks. The cancellation waits for the thread; then the
    /// socket is released.
    @Test func aReaderCancelledInsideReleasesItsSocket() async throws {
        let loop = RadioLoop(clock: .real, idleNanoseconds: 3_600_000_000_000, interface: .receive)
        let (own, other) = try socketPair()
        _ = fcntl(own, F_SETFL, O_NONBLOCK)
        let reader = await loop.run { [loop] in
            LoopBound(confined: loop.read(own) { _ in Issue.record("it is cancelled") }, loop: loop)
        }
        await Self.enter(loop) {
            reader.value?.cancel()
            // Inside, the loop reads no further socket.
            #expect(loop.read(other) { _ in } == nil)
            close(own)
        }
        // The other end receives the hang-up only when the socket is no longer read.
        var end = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
        #expect(poll(&end, 1, 60_000) == 1)
        close(other)
    }

    @Test func onlyOneThreadRunsAtATime() async {
        // Proof of `@unchecked Sendable`: accessed on the loop only. No lock protects it, because the test checks the
        // loop.
        final class Counter: @unchecked Sendable { var value = 0 }
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [loop] in
                    for _ in 0..<500 {
                        if !loop.runInline({ counter.value += 1 }) { await loop.run { counter.value += 1 } }
                    }
                }
            }
        }
        #expect(await loop.run { counter.value } == 4000)
        await enter { counter.value += 1 }
        #expect(await loop.run { counter.value } == 4001)
    }
}
#endif
