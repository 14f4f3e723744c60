import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct CommandQueueTests {
    /// A queue whose sent packets are recorded.
    private final class Bench {
        let time = HostTime()
        var sent: [[UInt8]] = []
        var silences: [HCIOpcode] = []
        private(set) lazy var queue = CommandQueue(time: time, timeout: .seconds(5)) { [unowned self] in
            sent.append($0.array)
        }

        init() {
            queue.onSilence = { [unowned self] in silences.append($0) }
            queue.open()
        }

        func complete(_ hex: String) { #expect(bytes(hex).withByteView { queue.commandCompleted($0) }) }
        func status(_ hex: String) { #expect(bytes(hex).withByteView { queue.commandStatus($0) }) }
        func advance(to seconds: Int64) {
            time.current = .start + .seconds(seconds)
            time.timers.fire(upTo: time.now)
        }
    }

    @Test func oneCommandAtATimeInOrder() {
        let bench = Bench()
        var results: [Result<[UInt8], RadioError>] = []
        for opcode: HCIOpcode in [.reset, .leRand] {
            bench.queue.run(opcode) { results.append($0.map(\.array)) }
        }
        #expect(bench.sent == [bytes("01 030C 00")])
        bench.complete("01 030C 00")
        #expect(bench.sent.last == bytes("01 1820 00"))
        bench.complete("01 1820 00 AABB")
        #expect(results == [.success([]), .success([0xAA, 0xBB])])
    }

    @Test func aCommandWaitsForACreditAndFailsWithoutOne() {
        let bench = Bench()
        bench.queue.run(.reset) { _ in }
        bench.complete("00 030C 00")
        bench.queue.run(.leRand) { _ in }
        #expect(bench.sent.count == 1)
        bench.complete("01 0000")
        #expect(bench.sent.count == 2)
        bench.complete("00 1820 00")
        bench.queue.run(.leRand) { _ in }
        bench.advance(to: 5)
        #expect(bench.silences == [.leRand])
    }

    @Test func refusalsHaveTheControllersStatus() {
        let bench = Bench()
        var errors: [RadioError?] = []
        func keep(_ result: Result<ByteView, RadioError>) {
            if case .failure(let error) = result { errors.append(error) } else { errors.append(nil) }
        }
        bench.queue.run(.leSetPHY, completion: keep)
        bench.status("11 01 3220")
        bench.queue.run(.leSetPHY, completion: keep)
        bench.status("00 01 3220")
        bench.queue.run(.leRand, completion: keep)
        bench.complete("01 1820 0C")
        bench.queue.run(.leRand, completion: keep)
        bench.complete("01 1820")
        #expect(
            errors == [
                .controller(.unsupportedFeature), nil, .controller(.commandDisallowed),
                .faultyController("response to LE Rand has no status"),
            ])
    }

    @Test func oneUnansweredCommandIsNotFatal() {
        let bench = Bench()
        var errors: [RadioError] = []
        func keep(_ result: Result<ByteView, RadioError>) {
            if case .failure(let error) = result { errors.append(error) }
        }
        bench.queue.run(.leSetPHY, .dispensable, completion: keep)
        bench.advance(to: 5)
        // The version request tests whether the controller still responds.
        #expect(bench.sent.last == bytes("01 0110 00"))
        bench.complete("01 0110 00 0B0000 0BFFFF 0000")
        #expect(errors == [.timeout] && bench.silences.isEmpty)
        bench.queue.run(.leSetPHY, .dispensable, completion: keep)
        #expect(errors.count == 2 && bench.sent.count == 2)
        // The late answer arrives.
        bench.status("00 01 3220")
        bench.queue.run(.leSetPHY, .dispensable, completion: keep)
        #expect(bench.sent.count == 3)
    }

    @Test func anUnresponsiveControllerIsDetectedAfterAnUnansweredCommand() {
        let bench = Bench()
        bench.queue.run(.leSetPHY, .dispensable) { _ in }
        bench.advance(to: 5)
        #expect(bench.silences.isEmpty)
        bench.advance(to: 10)
        #expect(bench.silences == [.readLocalVersion])
    }

    @Test func closingEndsEachCommandOnce() {
        let bench = Bench()
        var ends = 0
        for _ in 0..<5 { bench.queue.run(.leRand) { _ in ends += 1 } }
        bench.queue.close(.cancelled)
        #expect(ends == 5)
        bench.queue.run(.leRand) { _ in ends += 1 }
        bench.complete("01 1820 00")
        bench.advance(to: 100)
        #expect(ends == 6 && bench.silences.isEmpty)
    }

    @Test func theQueueIsBounded() {
        let bench = Bench()
        var ends = 0
        for _ in 0...CommandQueue.limit + 1 { bench.queue.run(.leRand) { _ in ends += 1 } }
        #expect(ends == 1)
    }
}
