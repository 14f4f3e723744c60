import Synchronization
import Testing

@testable import BluetoothRuntime

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(2))) struct FileWatchTests {
    private let loop = RadioLoop()

    /// Watches and the log of a test, confined to the loop.
    private final class Bench {
        var watches: [FileWatch] = []
        var log: [String] = []
    }

    private func makePipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private func write(_ descriptor: Int32) {
        var byte: UInt8 = 1
        #expect(Glibc.write(descriptor, &byte, 1) == 1)
    }

    @Test func reportsReadabilityUntilCancelled() async {
        let pipe = makePipe()
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        let bench = LoopBound(Bench(), loop: loop)
        let loop = loop
        for round in 1...3 {
            await withCheckedContinuation { continuation in
                loop.execute {
                    let watch = loop.watch(pipe.read, for: .readable) { events in
                        var byte: UInt8 = 0
                        #expect(events == .readable)
                        #expect(read(pipe.read, &byte, 1) == 1)
                        bench.value.watches.removeLast().cancel()
                        continuation.resume()
                    }
                    bench.value.watches.append(watch)
                }
                write(pipe.write)
            }
            #expect(await loop.run { bench.value.watches.isEmpty }, "round \(round)")
        }
    }

    @Test func aHandlerMayCancelAndAddWatches() async {
        let one = makePipe()
        let two = makePipe()
        defer { for end in [one.read, one.write, two.read, two.write] { close(end) } }
        write(one.write)
        write(two.write)
        let bench = LoopBound(Bench(), loop: loop)
        let loop = loop
        await withCheckedContinuation { continuation in
            loop.execute {
                // Both are ready in the same call of `poll`; whichever comes first cancels both.
                for descriptor in [one.read, two.read] {
                    let watch = loop.watch(descriptor, for: .readable) { _ in
                        bench.value.log.append("first")
                        for watch in bench.value.watches { watch.cancel() }
                        bench.value.watches = []
                        let added = loop.watch(two.read, for: .readable) { _ in
                            bench.value.log.append("added")
                            bench.value.watches.removeLast().cancel()
                            continuation.resume()
                        }
                        bench.value.watches.append(added)
                    }
                    bench.value.watches.append(watch)
                }
            }
        }
        #expect(await loop.run { bench.value.log } == ["first", "added"])
    }

    @Test func interestMayChangeAtAnyTime() async {
        let pipe = makePipe()
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        let bench = LoopBound(Bench(), loop: loop)
        let loop = loop
        await loop.run {
            let watch = loop.watch(pipe.write, for: []) { events in
                bench.value.log.append("\(events.rawValue)")
                bench.value.watches[0].interest = []
            }
            bench.value.watches.append(watch)
        }
        // Another descriptor's events prove that the loop has polled since.
        func turn() async {
            let other = makePipe()
            write(other.write)
            await withCheckedContinuation { continuation in
                loop.execute {
                    let watch = loop.watch(other.read, for: .readable) { _ in
                        bench.value.watches.removeLast().cancel()
                        continuation.resume()
                    }
                    bench.value.watches.append(watch)
                }
            }
            close(other.read)
            close(other.write)
        }
        await turn()
        #expect(await loop.run { bench.value.log } == [])
        await loop.run { bench.value.watches[0].interest = .writable }
        await turn()
        await turn()
        #expect(await loop.run { bench.value.log } == ["\(FileEvents.writable.rawValue)"])
        await loop.run {
            bench.value.watches.removeAll() {
                $0.cancel(); return true
            }
        }
    }

    @Test func aHangUpIsReportedWithoutInterest() async {
        let pipe = makePipe()
        defer { close(pipe.read) }
        let bench = LoopBound(Bench(), loop: loop)
        let loop = loop
        let events: FileEvents = await withCheckedContinuation { continuation in
            loop.execute {
                let watch = loop.watch(pipe.read, for: []) { events in
                    bench.value.watches.removeLast().cancel()
                    continuation.resume(returning: events)
                }
                bench.value.watches.append(watch)
                close(pipe.write)
            }
        }
        #expect(events == .failed)
    }

    @Test func manyWatchesReceiveOnlyTheirOwnEvents() async {
        let pipes = (0..<40).map { _ in makePipe() }
        defer { for pipe in pipes { for end in [pipe.read, pipe.write] { close(end) } } }
        let bench = LoopBound(Bench(), loop: loop)
        let loop = loop
        var random = SplitMix(state: 3)
        for _ in 0..<30 {
            let chosen = Set((0..<10).map { _ in Int(random.next() % 40) })
            for index in chosen { write(pipes[index].write) }
            let told: Set<Int> = await withCheckedContinuation { continuation in
                loop.execute {
                    var told: Set<Int> = []
                    for (index, pipe) in pipes.enumerated() {
                        let watch = loop.watch(pipe.read, for: .readable) { _ in
                            var byte: UInt8 = 0
                            #expect(read(pipe.read, &byte, 1) == 1)
                            bench.value.watches.removeAll { watch in
                                guard watch.descriptor == pipe.read else { return false }
                                watch.cancel()
                                return true
                            }
                            told.insert(index)
                            guard told.count == chosen.count else { return }
                            // The others never had an event.
                            for watch in bench.value.watches { watch.cancel() }
                            bench.value.watches = []
                            continuation.resume(returning: told)
                        }
                        bench.value.watches.append(watch)
                    }
                }
            }
            #expect(told == chosen)
        }
    }
}
