#if os(Linux)
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BluetoothRuntime

/// Callers that read the socket of a loop inside their operations.
@Suite(
    .enabled(if: DirectReceiver.interruptsAtOnce, "no real-time signal interrupts a thread at once"),
    .timeLimit(.minutes(5)))
struct CallerReadTests {
    /// An operation: a packet and its answer.
    ///
    /// Proof of `@unchecked Sendable`: accessed on the loop only, until its continuation is resumed.
    private final class Exchange: @unchecked Sendable {
        var began = RadioInstant.start
        var continuation: UnsafeContinuation<Void, Never>?
        /// The thread that received the answer.
        var thread: UInt?
        var isDone: Bool { thread != nil }
    }

    /// A loop with one socket, and a peer that returns packets of 1, and reports others.
    private final class Bench: Sendable {
        let loop = RadioLoop(clock: .real, idleNanoseconds: 3_600_000_000_000, interface: .receive)
        let ends: (own: Int32, other: Int32)
        /// The packets that answer no exchange.
        let packets: AsyncStream<UInt8>
        /// The packets that the peer did not answer.
        let unanswered: AsyncStream<UInt8>
        private let reader: LoopBound<SocketReader?>
        private let pending: LoopBound<[Exchange]>

        init() async throws {
            let (own, other) = try socketPair()
            ends = (own, other)
            let (packets, told) = AsyncStream.makeStream(of: UInt8.self)
            self.packets = packets
            pending = await loop.run { [loop] in LoopBound(confined: [], loop: loop) }
            reader = await loop.run { [loop, pending] in
                let reader = loop.read(own) { reader in
                    reader.takeAll { result in
                        guard case .bytes(let bytes) = result, bytes[0] == 1, !pending.value.isEmpty else {
                            if case .bytes(let bytes) = result { told.yield(bytes[0]) } else { told.finish() }
                            return
                        }
                        let exchange = pending.value.removeFirst()
                        exchange.thread = pthread_self()
                        loop.operationEnded(since: exchange.began)
                        exchange.continuation.map(loop.resume)
                    }
                }
                return LoopBound(confined: reader, loop: loop)
            }
            let isDirect = await loop.run { [reader] in reader.value?.receiver != nil }
            try #require(isDirect)
            let (unanswered, received) = AsyncStream.makeStream(of: UInt8.self)
            self.unanswered = unanswered
            let status = DetachedThread.start {
                var byte: UInt8 = 0
                while recv(other, &byte, 1, 0) == 1 {
                    if byte == 1 { send(other, &byte, 1, Int32(MSG_NOSIGNAL)) } else { received.yield(byte) }
                }
                Glibc.close(other)
            }
            try #require(status == 0)
        }

        func close() async {
            await loop.run { [reader] in reader.value?.cancel() }
            shutdown(ends.own, Int32(SHUT_RDWR))
            Glibc.close(ends.own)
        }

        /// Sends a packet from the peer.
        func tell(_ byte: UInt8) { #expect(send(ends.other, [byte], 1, Int32(MSG_NOSIGNAL)) == 1) }

        /// Sends a packet, and waits for the answer as an operation does.
        /// - Parameter first: runs as the loop at the beginning of the operation.
        /// - Returns: true if the calling thread received the answer inside the call.
        func exchange(_ byte: UInt8 = 1, _ first: @escaping @Sendable () -> Void = {}) async -> Bool {
            let exchange = Exchange()
            var caller: UInt = 0
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                exchange.continuation = continuation
                caller = pthread_self()
                let begin: @Sendable () -> Void = { [self] in
                    exchange.began = loop.operationBegan()
                    first()
                    pending.value.append(exchange)
                    #expect(send(ends.own, [byte], 1, Int32(MSG_NOSIGNAL)) == 1)
                }
                if !loop.runInline(until: { exchange.isDone }, begin) { loop.execute(begin) }
            }
            return exchange.thread == caller
        }

        /// Exchanges packets until callers read.
        func lend() async { while await !exchange() {} }
    }

    @Test func callersReadWhileOperationsAreQuickAndAlone() async throws {
        let bench = try await Bench()
        await bench.lend()
        // The thread may be woken up between two operations, but many find the socket lent.
        var inside = 0
        for _ in 0..<2000 where await bench.exchange() { inside += 1 }
        #expect(inside > 200)
        await bench.close()
    }

    @Test func theThreadReadsAgainAfterCallersStop() async throws {
        let bench = try await Bench()
        var packets = bench.packets.makeAsyncIterator()
        for round in 2..<12 as Range<UInt8> {
            await bench.lend()
            bench.tell(round)
            #expect(await packets.next() == round)
        }
        await bench.close()
    }

    @Test func aPacketOfAnotherKindReachesItsReceiverDuringAnOperation() async throws {
        let bench = try await Bench()
        var packets = bench.packets.makeAsyncIterator()
        await bench.lend()
        for round in 2..<100 as Range<UInt8> {
            bench.tell(round)
            _ = await bench.exchange()
            #expect(await packets.next() == round)
        }
        await bench.close()
    }

    /// A peer that does not answer does not occupy the caller, and its late answer is received by the thread.
    @Test func aCallerGivesUpAndTheThreadReceivesTheAnswer() async throws {
        let bench = try await Bench()
        await bench.lend()
        async let isInside = bench.exchange(0)
        for await _ in bench.unanswered { break }
        // Runs only if the loop is not occupied.
        for _ in 0..<10 { await bench.loop.run {} }
        bench.tell(1)
        _ = await isInside
        await bench.lend()
        await bench.close()
    }

    @Test func workAndTimersAreNotDelayed() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        var unanswered = bench.unanswered.makeAsyncIterator()
        // Each interruption doubles the number of exchanges before callers read again.
        for round in 0..<6 {
            await bench.lend()
            async let ended: Bool = bench.exchange(0)
            _ = await unanswered.next()
            if round % 2 == 0 {
                await loop.run { loop.preconditionOnLoop() }
            } else {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    loop.execute { loop.makeTimer { continuation.resume() }.arm(at: loop.now + .milliseconds(1)) }
                }
            }
            bench.tell(1)
            _ = await ended
        }
        await bench.close()
    }

    /// Operations follow each other until the timer fires, so that callers read when it is due, or are about to.
    @Test func timersFireWhileCallersRead() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        for round in 0..<6 {
            let isOver = Locked(false)
            let delay = Duration.milliseconds(round % 2 == 0 ? 20 : 2)
            let arm: @Sendable () -> Void = {
                loop.makeTimer { isOver.with { $0 = true } }.arm(at: loop.now + delay)
            }
            if round % 2 == 0 {
                // It is armed before callers read.
                await loop.run { arm() }
            } else {
                // An operation arms it while callers read.
                await bench.lend()
                _ = await bench.exchange(1, arm)
            }
            while !isOver.value { _ = await bench.exchange() }
        }
        await bench.close()
    }

    /// A caller occupies the loop, while the thread that lent the socket has to fire a timer.
    @Test func anAlarmWhileACallerOccupiesTheLoopIsNotLost() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        for _ in 0..<6 {
            let (alarms, firing) = AsyncStream.makeStream(of: Void.self)
            let deadline = await loop.run {
                let deadline = loop.now + .milliseconds(20)
                loop.makeTimer { firing.finish() }.arm(at: deadline)
                return deadline
            }
            await bench.lend()
            _ = await bench.exchange(1) { while RadioClock.real.now < deadline + .microseconds(200) {} }
            for await _ in alarms {}
        }
        await bench.close()
    }

    /// Operations of several tasks, work and packets compete for the socket.
    @Test func nothingIsLostAmongCompetingTasks() async throws {
        let bench = try await Bench()
        let rounds = 3000
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<3 {
                group.addTask {
                    for round in 0..<rounds {
                        _ = await bench.exchange()
                        if round % 500 < task * 100 { await Task.yield() }
                        if task == 2, round % 100 == 0 { await bench.loop.run {} }
                    }
                }
            }
            group.addTask {
                var packets = bench.packets.makeAsyncIterator()
                for round in 0..<200 {
                    bench.tell(UInt8(2 + round % 200))
                    #expect(await packets.next() == UInt8(2 + round % 200))
                }
            }
        }
        await bench.close()
    }

    /// The task blocks until the others have ended, so it would block forever if it held them up.
    @Test func aTaskThatBlocksItsThreadDelaysNoOther() async throws {
        let bench = try await Bench()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (readEnd, writeEnd) = (ends[0], ends[1])
        defer { for end in ends { close(end) } }
        await bench.lend()
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: OwnThread()) {
                _ = await bench.exchange()
                var byte: UInt8 = 0
                #expect(read(readEnd, &byte, 1) == 1)
            }
            group.addTask {
                await withTaskGroup(of: Void.self) { others in
                    for _ in 0..<100 { others.addTask { for _ in 0..<20 { _ = await bench.exchange() } } }
                }
                #expect(write(writeEnd, "x", 1) == 1)
            }
        }
        await bench.close()
    }

    /// A caller finds the end of the socket, and a reader is cancelled while callers read.
    @Test func theEndOfTheSocketIsReportedToACaller() async throws {
        let bench = try await Bench()
        await bench.lend()
        shutdown(bench.ends.other, Int32(SHUT_RDWR))
        for await _ in bench.packets { Issue.record("nothing was sent") }
        await bench.close()
        let second = try await Bench()
        await second.lend()
        await second.close()
        #expect(await second.loop.run { true })
    }
}
#endif
