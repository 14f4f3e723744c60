#if os(Linux)
import Glibc
import Synchronization
import Testing

@testable import BluetoothRuntime

private var systemHasRings: Bool {
    let one = WakeUp()
    return ReadRing(wakeUp: one.readEnd, events: one.readEnd).open()
}

@Suite(.enabled(if: systemHasRings, "this system has no io_uring: loops only watch sockets"))
struct SocketReaderTests {
    private let loop = RadioLoop()

    /// A loop with each interface that reads sockets.
    private static let loops = [LoopWait.Interface.ring, .receive].map { ReadingLoop(interface: $0) }

    struct ReadingLoop: CustomTestStringConvertible {
        let interface: LoopWait.Interface
        var testDescription: String { interface.rawValue }

        func start(idleNanoseconds: Int64 = 500_000_000) -> RadioLoop {
            RadioLoop(clock: .real, idleNanoseconds: idleNanoseconds, interface: interface)
        }
    }

    private enum Event: Equatable, Sendable {
        case bytes([UInt8])
        case closed
        case failed(Int32)
        case unsent(Int32)
        case readable
        case timer

        init(_ read: SocketRead) {
            switch read {
            case .bytes(let bytes): self = .bytes(Array(bytes))
            case .closed: self = .closed
            case .failed(let code): self = .failed(code)
            case .unsent(let code): self = .unsent(code)
            }
        }
    }

    /// The reader of one end of a pair, its results, and the other end.
    private final class Bench: Sendable {
        let ends: (own: Int32, other: Int32)
        let reader: LoopBound<SocketReader?>
        private let events: AsyncStream<Event>
        let told: AsyncStream<Event>.Continuation

        init(on loop: RadioLoop, packets: Bool = true) async throws {
            ends = try socketPair(packets ? SOCK_SEQPACKET : SOCK_STREAM)
            let own = ends.own
            _ = fcntl(own, F_SETFL, O_NONBLOCK)
            let (events, told) = AsyncStream.makeStream(of: Event.self)
            (self.events, self.told) = (events, told)
            reader = await loop.run {
                LoopBound(
                    confined: loop.read(own) { $0.takeAll { told.yield(Event($0)) } }, loop: loop)
            }
        }

        deinit { for end in [ends.own, ends.other] { close(end) } }

        func send(_ bytes: [UInt8]) {
            #expect(Glibc.send(ends.other, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        }

        /// Returns the next `count` events.
        func next(_ count: Int) async -> [Event] {
            var found: [Event] = []
            for await event in events {
                found.append(event)
                if found.count == count { break }
            }
            return found
        }
    }

    @Test(arguments: loops) func packetsAreDeliveredInOrderEvenIfTheyExceedTheBuffers(_ reading: ReadingLoop)
        async throws
    {
        let loop = reading.start()
        let bench = try await Bench(on: loop)
        let packets = (0..<100).map { [UInt8](repeating: UInt8($0), count: 1 + $0) }
        for packet in packets { bench.send(packet) }
        #expect(await bench.next(100) == packets.map { .bytes($0) })
        bench.send([1, 2, 3])
        #expect(await bench.next(1) == [.bytes([1, 2, 3])])
    }

    @Test(arguments: loops) func aPacketLongerThanAnyH4PacketIsDetected(_ reading: ReadingLoop) async throws {
        let loop = reading.start()
        let bench = try await Bench(on: loop)
        bench.send([UInt8](repeating: 7, count: 65_550))
        #expect(await bench.next(1) == [.bytes([UInt8](repeating: 7, count: 65_550))])
    }

    @Test(arguments: loops) func theEndIsReportedAfterEarlierPackets(_ reading: ReadingLoop) async throws {
        let loop = reading.start()
        let bench = try await Bench(on: loop, packets: false)
        bench.send([1])
        shutdown(bench.ends.other, Int32(SHUT_WR))
        #expect(await bench.next(2) == [.bytes([1]), .closed])
        // Cancelling a reader that has ended has no effect.
        await loop.run { bench.reader.value?.cancel() }
    }

    @Test(arguments: loops) func aCancelledReaderReportsNothingAndReleasesItsDescriptor(_ reading: ReadingLoop)
        async throws
    {
        let loop = reading.start()
        let bench = try await Bench(on: loop)
        bench.send([1])
        #expect(await bench.next(1) == [.bytes([1])])
        await loop.run {
            bench.reader.value?.cancel()
            bench.reader.value?.cancel()
            // The system holds no request that would keep the socket open, so the other end receives its end.
            let nothing = open("/dev/null", O_RDONLY)
            #expect(dup2(nothing, bench.ends.own) == bench.ends.own)
            close(nothing)
        }
        // A child process that another test starts may have it for a moment, so this waits.
        let other = bench.ends.other
        let end: Int = await withCheckedContinuation { continuation in
            let status = DetachedThread.start {
                var byte: UInt8 = 0
                var limit = timeval(tv_sec: 30, tv_usec: 0)
                setsockopt(other, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                continuation.resume(returning: recv(other, &byte, 1, 0))
            }
            #expect(status == 0)
        }
        #expect(end == 0)
    }

    /// A failed packet does not affect those after it.
    @Test func anUnsentPacketIsReturnedOnce() throws {
        let wakeUp = WakeUp()
        let ring = ReadRing(wakeUp: wakeUp.readEnd, events: wakeUp.readEnd)
        try #require(ring.open())
        let (own, other) = try socketPair()
        defer { for end in [own, other] { close(end) } }
        let reader = SocketReader(descriptor: own, loop: loop) { _ in }
        ring.add(reader)
        var packet = [UInt8](repeating: 1, count: 1000)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        while send(own, packet, packet.count, flags) > 0 {}
        #expect(packet.withUnsafeBytes { reader.hold($0) })
        ring.handOver()
        #expect(reader.unsentCode == EAGAIN)
        reader.takeHeld { _ in }
        while recv(other, &packet, packet.count, flags) > 0 {}
        #expect([2].withUnsafeBytes { reader.hold($0) })
        ring.handOver()
        #expect(reader.unsentCode == 0)
        #expect(!reader.holds)
        ring.remove(reader)
    }

    /// More packets than one call sends, and more than the peer takes at once.
    @Test func heldPacketsAreSentInOrder() throws {
        let wakeUp = WakeUp()
        let ring = ReadRing(wakeUp: wakeUp.readEnd, events: wakeUp.readEnd)
        try #require(ring.open())
        let (own, other) = try socketPair()
        defer { for end in [own, other] { close(end) } }
        let reader = SocketReader(descriptor: own, loop: loop) { _ in }
        ring.add(reader)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        var received: [UInt8] = []
        func receive() {
            var packet = [UInt8](repeating: 0, count: 1024)
            while true {
                let count = recv(other, &packet, packet.count, flags)
                guard count > 0 else { return }
                #expect(packet[..<count].allSatisfy { $0 == UInt8(truncatingIfNeeded: count) })
                received.append(packet[0])
            }
        }
        func hold(_ number: UInt8) -> Bool {
            [UInt8](repeating: number, count: Int(number)).withUnsafeBytes { reader.hold($0) }
        }
        for number in 1...UInt8(40) { #expect(hold(number)) }
        #expect(reader.holds)
        ring.handOver()
        #expect(!reader.holds)
        receive()
        #expect(received == Array(1...40))

        let filler = [UInt8](repeating: 200, count: 200)
        while send(own, filler, filler.count, flags) > 0 {}
        received = []
        for number in 1...UInt8(5) { #expect(hold(number)) }
        ring.handOver()
        #expect(reader.unsentCode == EAGAIN && reader.holds && ring.hasUnsent)
        #expect(!hold(6))
        // Nothing was sent out of order: the last packet waits too.
        var left: [UInt8] = []
        reader.takeHeld { left.append($0[0]) }
        #expect(left == Array(1...5))
        #expect(!reader.holds && reader.unsentCode == 0)
        receive()
        #expect(received.allSatisfy { $0 == 200 })
        #expect(hold(7))
        ring.handOver()
        receive()
        #expect(received.last == 7)
        ring.remove(reader)
    }

    /// The descriptor may be another socket's by the time when the ring would send.
    @Test(arguments: loops) func packetsHeldAtTheEndOfTheSocketAreDropped(_ reading: ReadingLoop) async throws {
        let loop = reading.start()
        let other = try await Bench(on: loop)
        let stranger = try await Bench(on: loop)
        await loop.run { stranger.reader.value?.cancel() }
        let (own, peer) = try socketPair()
        let theirs = stranger.ends.own
        _ = fcntl(own, F_SETFL, O_NONBLOCK)
        let (reads, told) = AsyncStream.makeStream(of: Event.self)
        let reader = await loop.run { [loop] in
            // Both are there before the reader is, so they come in one turn.
            #expect(Glibc.send(peer, [7], 1, Int32(MSG_NOSIGNAL)) == 1)
            // A child that another test spawns may hold the peer open until it executes its program.
            #expect(shutdown(peer, Int32(SHUT_RDWR)) == 0)
            close(peer)
            let reader = loop.read(own) { reader in
                reader.takeAll { read in
                    if case .bytes = read { #expect([8].withUnsafeBytes { reader.hold($0) }) }
                    if case .closed = read { #expect(dup2(theirs, own) == own) }
                    told.yield(Event(read))
                }
            }
            return LoopBound(confined: reader, loop: loop)
        }
        var events = reads.makeAsyncIterator()
        #expect(await events.next() == .bytes([7]))
        var end = await events.next()
        // On a busy machine the end may come in a later turn, after the socket refused the packet, which stays held.
        if end == .unsent(EPIPE) { end = await events.next() }
        #expect(end == .closed)
        // A turn of the ring, in which it submits its requests.
        other.send([1])
        #expect(await other.next(1) == [.bytes([1])])
        #expect(Glibc.send(theirs, [2], 1, Int32(MSG_NOSIGNAL)) == 1)
        var byte: UInt8 = 0
        #expect(recv(stranger.ends.other, &byte, 1, 0) == 1)
        #expect(byte == 2)
        close(own)
        _ = reader
    }

    @Test(arguments: loops) func manyReadersCallersWatchesAndTimersShareALoop(_ reading: ReadingLoop) async throws {
        let loop = reading.start()
        let benches = try await [Bench(on: loop), Bench(on: loop), Bench(on: loop, packets: false)]
        var pipe: [Int32] = [-1, -1]
        #expect(Glibc.pipe(&pipe) == 0)
        let (readEnd, writeEnd) = (pipe[0], pipe[1])
        defer { for end in pipe { close(end) } }
        let told = benches[0].told
        let watch = await loop.run { [loop] in
            LoopBound(
                confined: loop.watch(readEnd, for: .readable) { _ in
                    var byte: UInt8 = 0
                    #expect(read(readEnd, &byte, 1) == 1)
                    told.yield(.readable)
                }, loop: loop)
        }
        for round in 0..<50 {
            for bench in benches { bench.send([UInt8(round)]) }
            for bench in benches { #expect(await bench.next(1) == [.bytes([UInt8(round)])]) }
            var two: [UInt8] = [1, 2]
            // Two bytes, of which the handler takes one at a time: it has to be called twice.
            #expect(write(writeEnd, &two, 2) == 2)
            #expect(await benches[0].next(2) == [.readable, .readable])
            let timer = await loop.run { [loop] in
                let timer = loop.makeTimer { told.yield(.timer) }
                timer.arm(at: loop.now + .microseconds(100))
                return LoopBound(confined: timer, loop: loop)
            }
            #expect(await benches[0].next(1) == [.timer])
            _ = timer
        }
        await loop.run { watch.value.cancel() }
    }

    @Test(arguments: loops) func theThreadSleepsBetweenReaders(_ reading: ReadingLoop) async throws {
        let loop = reading.start(idleNanoseconds: 1)
        for round in 0..<100 {
            let bench = try await Bench(on: loop)
            bench.send([UInt8(round)])
            #expect(await bench.next(1) == [.bytes([UInt8(round)])])
            await loop.run { bench.reader.value?.cancel() }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: loops) func aTimerFiresAfterTheReaderHasEnded(_ reading: ReadingLoop)
        async throws
    {
        let loop = reading.start()
        let bench = try await Bench(on: loop)
        let told = bench.told
        let timer = await loop.run { [loop] in
            let timer = loop.makeTimer { told.yield(.timer) }
            timer.arm(at: loop.now + .milliseconds(20))
            return LoopBound(confined: timer, loop: loop)
        }
        // The loop has waited with the timer as its limit, and now waits by other means.
        await loop.run { bench.reader.value?.cancel() }
        #expect(await bench.next(1) == [.timer])
        _ = timer
    }

    @Test(.timeLimit(.minutes(1)), arguments: loops) func aTimerFiresWhileSocketsAreBusy(_ reading: ReadingLoop)
        async throws
    {
        let loop = reading.start()
        let (own, other) = try socketPair()
        let ends = [own, other]
        defer { for end in ends { close(end) } }
        let (fired, firing) = AsyncStream.makeStream(of: Void.self)
        let (timer, readers) = await loop.run { [loop, ends] in
            let timer = loop.makeTimer { firing.yield() }
            timer.arm(at: loop.now + .milliseconds(5))
            // Each end answers each packet, so that there always is one.
            let readers = ends.map { end in
                loop.read(end) { reader in
                    reader.takeAll { if case .bytes = $0 { _ = Glibc.send(end, [1], 1, Int32(MSG_NOSIGNAL)) } }
                }
            }
            return (LoopBound(confined: timer, loop: loop), LoopBound(confined: readers, loop: loop))
        }
        try #require(Glibc.send(ends[0], [1], 1, Int32(MSG_NOSIGNAL)) == 1)
        for await _ in fired { break }
        await loop.run { for reader in readers.value { reader?.cancel() } }
        _ = timer
    }

    @Test func aRefusedRingIsNil() {
        let wakeUp = WakeUp()
        // Not a power of two.
        #expect(!ReadRing(wakeUp: wakeUp.readEnd, events: wakeUp.readEnd, bufferCount: 3).open())
    }

    @Test(arguments: loops) func aFloodDoesNotStarveOtherWork(_ reading: ReadingLoop) async throws {
        let loop = reading.start()
        let benches = try await [Bench(on: loop), Bench(on: loop)]
        // Each packet of the flood is followed by another, so that its socket is never empty.
        let flood = 2000
        async let flooded = benches[0].next(flood)
        async let other = benches[1].next(50)
        for number in 0..<flood {
            benches[0].send([UInt8(truncatingIfNeeded: number)])
            if number % 40 == 0 { benches[1].send([1]) }
        }
        #expect(await flooded == (0..<flood).map { .bytes([UInt8(truncatingIfNeeded: $0)]) })
        #expect(await other.count == 50)
    }

    @Test func aLoopWithoutRingHasNoReader() async throws {
        let loop = RadioLoop(clock: .real, idleNanoseconds: 500_000_000, interface: .epoll)
        let bench = try await Bench(on: loop)
        #expect(await loop.run { bench.reader.value == nil })
    }
}
#endif
