#if os(Linux)
import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BluetoothRuntime

extension DirectReceiver {
    /// False if no signal is free, and under the thread sanitizer, which delivers signals later.
    static let interruptsAtOnce: Bool = {
        guard let (own, other) = try? socketPair() else { return false }
        defer { for end in [own, other] { close(end) } }
        let receiver = DirectReceiver(clock: .real, events: -1, tag: 0)
        let reader = SocketReader(descriptor: own) { _ in }
        defer { reader.cancel() }
        return receiver.add(reader)
    }()
}

/// A thread that blocks in `recv` of its only socket.
@Suite(
    .enabled(if: DirectReceiver.interruptsAtOnce, "no real-time signal interrupts a thread at once"),
    .timeLimit(.minutes(2)))
struct DirectReceiverTests {
    /// A loop whose thread blocks in `recv` of one end of a pair.
    private final class Bench: Sendable {
        let loop = RadioLoop(clock: .real, idleNanoseconds: 3_600_000_000_000, interface: .receive)
        let ends: (own: Int32, other: Int32)
        let reader: LoopBound<SocketReader?>
        private let packets: AsyncStream<[UInt8]>

        /// - Parameter work: called before each packet is reported.
        init(answers: Bool = false, work: @escaping @Sendable () -> Void = {}) async throws {
            ends = try socketPair()
            let own = ends.own
            _ = fcntl(own, F_SETFL, O_NONBLOCK)
            let (packets, told) = AsyncStream.makeStream(of: [UInt8].self)
            self.packets = packets
            reader = await loop.run { [loop] in
                let reader = loop.read(own) { reader in
                    reader.takeAll {
                        guard case .bytes(let bytes) = $0 else { return }
                        if answers { #expect(reader.hold(bytes)) }
                        // The time of the turn is that before the work.
                        _ = loop.now
                        work()
                        told.yield(Array(bytes))
                    }
                }
                return LoopBound(confined: reader, loop: loop)
            }
            #expect(await isDirect)
        }

        deinit { for end in [ends.own, ends.other] { close(end) } }

        var isDirect: Bool { get async { await loop.run { [reader] in reader.value?.receiver != nil } } }

        func send(_ bytes: [UInt8]) {
            #expect(Glibc.send(ends.other, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        }

        func next(_ count: Int = 1) async -> [[UInt8]] {
            var found: [[UInt8]] = []
            for await packet in packets {
                found.append(packet)
                if found.count == count { break }
            }
            return found
        }

        func cancel() async { await loop.run { [reader] in reader.value?.cancel() } }

        /// Runs `body` as the loop while its thread sleeps.
        func enter(_ body: () -> Void) async {
            await loop.run {}
            while !loop.runInline(body) { await Task.yield() }
        }
    }

    /// A receiver with a reader of one end of a pair, on the thread of the test, which holds the turn's lock.
    private final class Receiver {
        let receiver: DirectReceiver
        let reader: SocketReader
        let lock = TurnLock()
        let other: Int32
        /// The number of results.
        let taken: Locked<Int>
        private let own: Int32

        init(clock: RadioClock = .real) throws {
            (own, other) = try socketPair()
            receiver = DirectReceiver(clock: clock, events: -1, tag: 0)
            let taken = Locked(0)
            self.taken = taken
            reader = SocketReader(descriptor: own) { $0.takeAll { _ in taken.with { $0 += 1 } } }
            lock.lock()
            try #require(receiver.add(reader))
        }

        deinit {
            receiver.remove(reader)
            lock.unlock()
            lock.deallocate()
            for end in [own, other] { close(end) }
        }

        func send() { #expect(Glibc.send(other, [7], 1, Int32(MSG_NOSIGNAL)) == 1) }

        /// Waits until a packet, an interruption or the limit; returns true for a packet, which the reader takes.
        func hasPacket(until limit: RadioInstant = .never) -> Bool {
            receiver.prepare()
            return hasPacketAfterPreparation(until: limit)
        }

        func hasPacketAfterPreparation(until limit: RadioInstant = .never) -> Bool {
            receiver.wait(until: limit, at: RadioClock.real.now, free: lock)
            return receiver.deliver()
        }

        /// Fills the socket, so that it takes no further packet.
        func fill(_ packet: [UInt8]) {
            while Glibc.send(own, packet, packet.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) > 0 {}
        }

        /// Returns the packets that have arrived at the other end.
        func sent() -> [[UInt8]] {
            var packets: [[UInt8]] = []
            var packet = [UInt8](repeating: 0, count: 1024)
            while case let count = recv(other, &packet, packet.count, Int32(MSG_DONTWAIT)), count > 0 {
                packets.append(Array(packet[..<count]))
            }
            return packets
        }
    }

    @Test func packetsArriveAndAreAnswered() async throws {
        let bench = try await Bench(answers: true)
        for round in 0..<200 {
            bench.send([UInt8(round)])
            #expect(await bench.next() == [[UInt8(round)]])
            var byte: UInt8 = 0
            #expect(recv(bench.ends.other, &byte, 1, 0) == 1 && byte == UInt8(round))
        }
        await bench.cancel()
    }

    /// Work, packets and entering callers compete for the moments before, in and after `recv`.
    @Test func noWakeUpIsLostAtRandomTimes() async throws {
        let bench = try await Bench()
        let rounds = 3000
        async let packets = bench.next(rounds)
        let entered = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<rounds {
                    bench.send([UInt8(truncatingIfNeeded: round)])
                    for _ in 0..<Int.random(in: 0..<4) { await Task.yield() }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<rounds {
                        if Bool.random(), bench.loop.runInline({ entered.with { $0 += 1 } }) { continue }
                        // Returns only if the thread wakes up.
                        await bench.loop.run { entered.with { $0 += 1 } }
                        for _ in 0..<Int.random(in: 0..<4) { await Task.yield() }
                    }
                }
            }
        }
        #expect(await packets == (0..<rounds).map { [UInt8(truncatingIfNeeded: $0)] })
        #expect(entered.value == 3 * rounds)
        #expect(await bench.isDirect)
        await bench.cancel()
    }

    @Test func timersEndTheWait() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        for round in 0..<50 {
            // The later timer is armed first, and stays armed.
            let later = await loop.run {
                let timer = loop.makeTimer { Issue.record("it is disarmed") }
                timer.arm(at: loop.now + .seconds(3600))
                return LoopBound(confined: timer, loop: loop)
            }
            let deadline = loop.now + .microseconds(round * 50)
            let fired: RadioInstant = await withCheckedContinuation { continuation in
                loop.execute { loop.makeTimer { continuation.resume(returning: loop.now) }.arm(at: deadline) }
            }
            #expect(fired >= deadline)
            await loop.run { later.value.disarm() }
        }
        // A timer that a caller arms while the thread sleeps.
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Task {
                await bench.enter { loop.makeTimer { continuation.resume() }.arm(at: loop.now + .milliseconds(1)) }
            }
        }
        await bench.cancel()
    }

    @Test func anInterruptionBeforeTheWaitEndsIt() throws {
        let bench = try Receiver()
        for _ in 0..<3 {
            bench.receiver.prepare()
            // It is handled at once, because the thread sends it to itself.
            bench.receiver.interrupt()
            #expect(!bench.hasPacketAfterPreparation())
        }
        // One that comes while the thread does not wait has no effect on the next wait.
        bench.receiver.interrupt()
        bench.send()
        #expect(bench.hasPacket() && bench.taken.value == 1)
    }

    @Test func anAlarmEndsTheWait() throws {
        let bench = try Receiver()
        // Without a limit the thread would wait forever, so this is the end of the test if an alarm fails.
        for _ in 0..<3 { #expect(!bench.hasPacket(until: RadioClock.real.now + .milliseconds(1))) }
        // The alarm is moved earlier, but not later.
        let hour = RadioClock.real.now + .seconds(3600)
        bench.send()
        #expect(bench.hasPacket(until: hour))
        let soon = RadioClock.real.now + .milliseconds(20)
        bench.send()
        #expect(bench.hasPacket(until: soon))
        #expect(!bench.hasPacket(until: hour))
        #expect(RadioClock.real.now >= soon)
        // It ends with the reader.
        let first = RadioClock.real.now + .milliseconds(100)
        bench.send()
        #expect(bench.hasPacket(until: first))
        bench.receiver.remove(bench.reader)
        try #require(bench.receiver.add(bench.reader))
        #expect(!bench.hasPacket(until: first + .milliseconds(10)))
    }

    /// The alarm comes while the thread is at work, in the handler of a packet.
    @Test func anAlarmDuringATurnIsNotLost() async throws {
        let deadline = Locked(RadioInstant.start)
        let bench = try await Bench(work: { while RadioClock.real.now < deadline.value + .microseconds(200) {} })
        let loop = bench.loop
        for round in 0..<20 as Range<UInt8> {
            let (alarms, firing) = AsyncStream.makeStream(of: Void.self)
            // The thread sets the alarm when it waits for the packet.
            await loop.run {
                deadline.with { $0 = loop.now + .milliseconds(1) }
                loop.makeTimer { firing.finish() }.arm(at: deadline.value)
            }
            bench.send([round])
            #expect(await bench.next() == [[round]])
            for await _ in alarms {}
        }
        await bench.cancel()
    }

    /// A failed packet does not affect those after it.
    @Test func anUnsentPacketIsReturnedOnce() throws {
        let bench = try Receiver()
        bench.fill([UInt8](repeating: 1, count: 1000))
        #expect([UInt8(1)].withUnsafeBytes { bench.reader.hold($0) })
        bench.receiver.flush()
        #expect(bench.reader.unsentCode == EAGAIN)
        var count = 0
        bench.reader.takeHeld { _ in count += 1 }
        bench.reader.takeHeld { _ in count += 1 }
        #expect(count == 1)
        _ = bench.sent()
        #expect([UInt8(2)].withUnsafeBytes { bench.reader.hold($0) })
        bench.receiver.flush()
        #expect(bench.reader.unsentCode == 0)
        #expect(bench.sent() == [[2]])
    }

    /// More packets than one call sends, and more than the peer takes at once.
    @Test func heldPacketsAreSentInOrder() throws {
        let bench = try Receiver()
        func packet(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: Int(number)) }
        func hold(_ number: UInt8) -> Bool { packet(number).withUnsafeBytes { bench.reader.hold($0) } }
        for number in 1...UInt8(40) { #expect(hold(number)) }
        #expect(bench.receiver.holds)
        bench.receiver.flush()
        #expect(!bench.receiver.holds)
        #expect(bench.sent() == (1...40).map(packet))

        bench.fill(packet(200))
        for number in 1...UInt8(5) { #expect(hold(number)) }
        bench.receiver.flush()
        #expect(bench.reader.unsentCode == EAGAIN && bench.receiver.hasUnsent)
        #expect(!hold(6))
        // Nothing was sent out of order: the last packet waits too.
        var left: [UInt8] = []
        bench.reader.takeHeld { left.append($0[0]) }
        #expect(left == Array(1...5))
        #expect(bench.reader.unsentCode == 0)
        #expect(bench.sent().allSatisfy { $0 == packet(200) })
        #expect(hold(7))
        bench.receiver.flush()
        #expect(bench.sent() == [packet(7)])
    }

    @Test func aHandlerCanReplaceItsReader() async throws {
        let loop = RadioLoop(clock: .real, idleNanoseconds: 3_600_000_000_000, interface: .receive)
        let (own, other) = try socketPair()
        defer { for end in [own, other] { close(end) } }
        let (packets, told) = AsyncStream.makeStream(of: [UInt8].self)
        var received = packets.makeAsyncIterator()
        let readers = await loop.run { LoopBound<[SocketReader?]>(confined: [], loop: loop) }
        await loop.run {
            let first = loop.read(own) { reader in
                reader.takeAll { _ in
                    readers.value = []
                    reader.cancel()
                    let second = loop.read(own) { reader in
                        reader.takeAll { if case .bytes(let bytes) = $0 { told.yield([2] + Array(bytes)) } }
                    }
                    readers.value = [second]
                    told.yield([1])
                }
            }
            readers.value = [first]
        }
        for octet in 7..<9 as Range<UInt8> {
            #expect(send(other, [octet], 1, Int32(MSG_NOSIGNAL)) == 1)
            #expect(await received.next() == (octet == 7 ? [1] : [2, octet]))
        }
        await loop.run {
            readers.value.first??.cancel()
            readers.value = []
        }
    }

    /// Timers that follow each other. Confined to a loop.
    private final class TimerChain {
        /// The deadline of a timer, and the instant at which it fired.
        typealias Firing = (deadline: RadioInstant, fired: RadioInstant)

        private let loop: RadioLoop
        private var left: Int
        private let end: ([Firing]) -> Void
        private var fired: [Firing] = []

        init(_ loop: RadioLoop, count: Int, end: @escaping ([Firing]) -> Void) {
            (self.loop, left, self.end) = (loop, count, end)
        }

        func armNext() {
            guard left > 0 else { return end(fired) }
            left -= 1
            let deadline = loop.now + .microseconds(200)
            // The queue retains the timer while it is armed.
            loop.makeTimer { [self] in
                fired.append((deadline, loop.now))
                armNext()
            }.arm(at: deadline)
        }
    }

    /// A packet arrives in every turn, so that the thread never sleeps, and no work wakes it.
    @Test func packetsThatArriveContinuouslyDelayNoTimer() async throws {
        let bench = try await Bench()
        let (loop, other) = (bench.loop, bench.ends.other)
        let isOver = Locked(false)
        let (sending, ended) = AsyncStream.makeStream(of: Void.self)
        let status = DetachedThread.start {
            // Waits while the socket is full.
            while !isOver.value { _ = Glibc.send(other, [1], 1, Int32(MSG_NOSIGNAL)) }
            ended.finish()
        }
        try #require(status == 0)
        #expect(await bench.next().count == 1)
        // The packets end only after the timers have fired.
        let fired: [TimerChain.Firing] = await withCheckedContinuation { continuation in
            loop.execute { TimerChain(loop, count: 50) { continuation.resume(returning: $0) }.armNext() }
        }
        isOver.with { $0 = true }
        for await _ in sending {}
        #expect(fired.count == 50)
        #expect(fired.allSatisfy { $0.fired >= $0.deadline })
        #expect(await bench.isDirect)
        await bench.cancel()
    }

    /// Nothing but the alarm wakes the thread.
    @Test func anAlarmWhileACallerRunsAsTheLoopIsNotLost() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        for _ in 0..<20 {
            let (alarms, firing) = AsyncStream.makeStream(of: Void.self)
            let deadline = await loop.run {
                let deadline = loop.now + .milliseconds(1)
                loop.makeTimer { firing.finish() }.arm(at: deadline)
                return deadline
            }
            await bench.enter { while RadioClock.real.now < deadline + .microseconds(200) {} }
            for await _ in alarms {}
        }
        await bench.cancel()
    }

    /// The thread sleeps until the earlier instant, for which there is no timer any more.
    @Test func anAlarmOfADisarmedTimerIsSetAnew() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        for _ in 0..<20 {
            let (alarms, firing) = AsyncStream.makeStream(of: Void.self)
            let (first, deadline) = await loop.run {
                let deadline = loop.now + .milliseconds(1)
                let timer = loop.makeTimer {}
                timer.arm(at: deadline)
                return (LoopBound(confined: timer, loop: loop), deadline)
            }
            await bench.enter {
                first.value.disarm()
                loop.makeTimer { firing.finish() }.arm(at: deadline + .milliseconds(1))
                while RadioClock.real.now < deadline + .microseconds(200) {}
            }
            for await _ in alarms {}
        }
        await bench.cancel()
    }

    @Test func aWatchIsServedBesideTheSocket() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        let (readEnd, writeEnd) = (pipe[0], pipe[1])
        defer { for end in pipe { close(end) } }
        let (events, told) = AsyncStream.makeStream(of: Void.self)
        var readable = events.makeAsyncIterator()
        let box = Locked<LoopBound<FileWatch>?>(nil)
        // A caller adds it while the thread blocks.
        await bench.enter {
            let watch = loop.watch(readEnd, for: .readable) { _ in
                var byte: UInt8 = 0
                #expect(read(readEnd, &byte, 1) == 1)
                told.yield()
            }
            let bound = LoopBound(confined: watch, loop: loop)
            box.with { $0 = bound }
        }
        for round in 0..<400 {
            #expect(write(writeEnd, "x", 1) == 1)
            await readable.next()
            bench.send([UInt8(truncatingIfNeeded: round)])
            #expect(await bench.next() == [[UInt8(truncatingIfNeeded: round)]])
            await bench.enter {}
        }
        await loop.run { box.value?.value.cancel() }
        bench.send([1])
        #expect(await bench.next() == [[1]])
        await bench.cancel()
    }

    /// The thread blocks in one socket only.
    @Test func aSecondSocketIsReadAfterTheFirst() async throws {
        let bench = try await Bench()
        let loop = bench.loop
        let (own, other) = try socketPair()
        defer { for end in [own, other] { close(end) } }
        let (packets, told) = AsyncStream.makeStream(of: UInt8.self)
        var received = packets.makeAsyncIterator()
        let read: @Sendable () -> LoopBound<SocketReader?> = {
            let reader = loop.read(own) { reader in
                reader.takeAll { if case .bytes(let bytes) = $0 { told.yield(bytes[0]) } }
            }
            return LoopBound(confined: reader, loop: loop)
        }
        #expect(await loop.run { read().value == nil })
        await bench.cancel()
        let second = await loop.run(read)
        #expect(send(other, [7], 1, 0) == 1)
        #expect(await received.next() == 7)
        await loop.run { second.value?.cancel() }
    }

    /// The thread waits for the watch too, and has no event when it finds that the packet was not sent.
    @Test func anUnsentPacketIsReportedBesideAWatch() async throws {
        let loop = RadioLoop(clock: .real, idleNanoseconds: 3_600_000_000_000, interface: .receive)
        let (own, other) = try socketPair()
        var pipe: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&pipe) == 0)
        let readEnd = pipe[0]
        defer { for end in [own, other] + pipe { close(end) } }
        while send(own, [1], 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) > 0 {}
        let (codes, told) = AsyncStream.makeStream(of: Int32.self)
        let (watch, reader) = await loop.run {
            let reader = loop.read(own) { reader in
                reader.takeAll { if case .unsent(let code) = $0 { told.yield(code) } }
                reader.takeHeld { _ in told.finish() }
            }
            let watch = loop.watch(readEnd, for: .readable) { _ in Issue.record("nothing was written") }
            #expect(reader.map { reader in [UInt8(2)].withUnsafeBytes { reader.hold($0) } } == true)
            return (LoopBound(confined: watch, loop: loop), LoopBound(confined: reader, loop: loop))
        }
        #expect(await codes.reduce(into: []) { $0.append($1) } == [EAGAIN])
        await loop.run {
            watch.value.cancel()
            reader.value?.cancel()
        }
    }

    /// The program may use real-time signals of its own.
    @Test func aSignalOfTheProgramIsNotReplaced() {
        let first = DirectReceiver.install()
        #expect(first > 0)
        let second = DirectReceiver.install()
        #expect(second > 0 && second != first)
        for number in [first, second] {
            var action = sigaction()
            #expect(sigaction(number, nil, &action) == 0)
            #expect(action.sa_flags & SA_RESTART != 0)
            signal(number, SIG_DFL)
        }
    }
}
#endif
