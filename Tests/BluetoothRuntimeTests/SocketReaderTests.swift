#if os(Linux)
import Glibc
import Synchronization
import Testing

@testable import BluetoothRuntime

/// A loop with a socket that it reads, and others that are watched.
@Suite(.enabled(if: DirectReceiver.interruptsAtOnce, "no real-time signal interrupts a thread at once"))
struct SocketReaderTests {
    private static func start(idleNanoseconds: Int64 = 500_000_000) -> RadioLoop {
        RadioLoop(clock: .real, idleNanoseconds: idleNanoseconds, interface: .receive)
    }

    private let loop = start()

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

    /// The reader of one end of a pair, its results, and the other end. If the loop reads another socket already, the
    /// end is watched.
    private final class Bench: Sendable {
        let ends: (own: Int32, other: Int32)
        let reader: LoopBound<SocketReader?>
        let watch: LoopBound<FileWatch?>
        private let events: AsyncStream<Event>
        let told: AsyncStream<Event>.Continuation

        init(on loop: RadioLoop, packets: Bool = true) async throws {
            ends = try socketPair(packets ? SOCK_SEQPACKET : SOCK_STREAM)
            let own = ends.own
            _ = fcntl(own, F_SETFL, O_NONBLOCK)
            let (events, told) = AsyncStream.makeStream(of: Event.self)
            (self.events, self.told) = (events, told)
            (reader, watch) = await loop.run {
                let reader = loop.read(own) { $0.takeAll { told.yield(Event($0)) } }
                let watch: FileWatch? =
                    reader != nil
                    ? nil
                    : loop.watch(own, for: .readable) { _ in
                        var packet = [UInt8](repeating: 0, count: 1024)
                        let count = recv(own, &packet, packet.count, 0)
                        told.yield(count > 0 ? .bytes(Array(packet[..<count])) : .closed)
                    }
                return (LoopBound(confined: reader, loop: loop), LoopBound(confined: watch, loop: loop))
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

    @Test func packetsAreDeliveredInOrderEvenIfTheyExceedTheBuffers() async throws {
        let bench = try await Bench(on: loop)
        let packets = (0..<100).map { [UInt8](repeating: UInt8($0), count: 1 + $0) }
        for packet in packets { bench.send(packet) }
        #expect(await bench.next(100) == packets.map { .bytes($0) })
        bench.send([1, 2, 3])
        #expect(await bench.next(1) == [.bytes([1, 2, 3])])
    }

    @Test func aPacketLongerThanAnyH4PacketIsDetected() async throws {
        let bench = try await Bench(on: loop)
        bench.send([UInt8](repeating: 7, count: 65_550))
        #expect(await bench.next(1) == [.bytes([UInt8](repeating: 7, count: 65_550))])
    }

    @Test func theEndIsReportedAfterEarlierPackets() async throws {
        let bench = try await Bench(on: loop, packets: false)
        bench.send([1])
        shutdown(bench.ends.other, Int32(SHUT_WR))
        #expect(await bench.next(2) == [.bytes([1]), .closed])
        // Cancelling a reader that has ended has no effect.
        await loop.run { bench.reader.value?.cancel() }
    }

    @Test func aCancelledReaderReportsNothingAndReleasesItsDescriptor() async throws {
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

    /// The descriptor may be another socket's by the time of the next wait.
    @Test func packetsHeldAtTheEndOfTheSocketAreDropped() async throws {
        let (theirs, strangersPeer) = try socketPair()
        let (own, peer) = try socketPair()
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
                    if case .bytes = read { #expect([UInt8(8)].withUnsafeBytes { reader.hold($0) }) }
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
        // A further wait of the loop.
        let next = try await Bench(on: loop)
        next.send([1])
        #expect(await next.next(1) == [.bytes([1])])
        await loop.run { next.reader.value?.cancel() }
        #expect(Glibc.send(theirs, [2], 1, Int32(MSG_NOSIGNAL)) == 1)
        var byte: UInt8 = 0
        #expect(recv(strangersPeer, &byte, 1, 0) == 1)
        #expect(byte == 2)
        for end in [own, theirs, strangersPeer] { close(end) }
        _ = reader
    }

    @Test func manyReadersCallersWatchesAndTimersShareALoop() async throws {
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
        await loop.run {
            watch.value.cancel()
            for bench in benches {
                bench.reader.value?.cancel()
                bench.watch.value?.cancel()
            }
        }
    }

    @Test func theThreadSleepsBetweenReaders() async throws {
        let loop = Self.start(idleNanoseconds: 1)
        for round in 0..<100 {
            let bench = try await Bench(on: loop)
            bench.send([UInt8(round)])
            #expect(await bench.next(1) == [.bytes([UInt8(round)])])
            await loop.run { bench.reader.value?.cancel() }
        }
    }

    @Test(.timeLimit(.minutes(1))) func aTimerFiresAfterTheReaderHasEnded() async throws {
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

    @Test(.timeLimit(.minutes(1))) func aTimerFiresWhileSocketsAreBusy() async throws {
        let (own, other) = try socketPair()
        defer { for end in [own, other] { close(end) } }
        let (fired, firing) = AsyncStream.makeStream(of: Void.self)
        // Each end answers each packet, so that there always is one.
        let (timer, reader, watch) = await loop.run { [loop] in
            let timer = loop.makeTimer { firing.yield() }
            timer.arm(at: loop.now + .milliseconds(5))
            let reader = loop.read(own) { reader in
                reader.takeAll { if case .bytes = $0 { _ = Glibc.send(own, [1], 1, Int32(MSG_NOSIGNAL)) } }
            }
            let watch = loop.watch(other, for: .readable) { _ in
                var byte: UInt8 = 0
                if recv(other, &byte, 1, 0) == 1 { _ = Glibc.send(other, [1], 1, Int32(MSG_NOSIGNAL)) }
            }
            return (
                LoopBound(confined: timer, loop: loop), LoopBound(confined: reader, loop: loop),
                LoopBound(confined: watch, loop: loop)
            )
        }
        try #require(Glibc.send(own, [1], 1, Int32(MSG_NOSIGNAL)) == 1)
        for await _ in fired { break }
        await loop.run {
            reader.value?.cancel()
            watch.value.cancel()
        }
        _ = timer
    }

    @Test func aFloodDoesNotStarveOtherWork() async throws {
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
        await loop.run {
            benches[0].reader.value?.cancel()
            benches[1].watch.value?.cancel()
        }
    }

    @Test func aLoopThatUsesEpollHasNoReader() async throws {
        let loop = RadioLoop(clock: .real, idleNanoseconds: 500_000_000, interface: .epoll)
        let bench = try await Bench(on: loop)
        #expect(await loop.run { bench.reader.value == nil })
        await loop.run { bench.watch.value?.cancel() }
    }
}
#endif
