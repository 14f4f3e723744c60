import BluetoothModel
import BluetoothRuntime
import Testing

@testable import BluetoothHost

@Suite struct LinkProcedureQueueTests {
    @Test func theQueueHolds64ProceduresBesideTheRunningOne() {
        let queue = LinkProcedureQueue<Int>(time: HostTime())
        var started = 0
        var results: [Result<Int, RadioError>] = []
        for _ in 0..<65 { queue.run(start: { started += 1 }, completion: { results.append($0) }) }
        #expect(queue.isRunning && started == 1 && results.isEmpty)
        queue.run(start: { started += 1 }, completion: { results.append($0) })
        #expect(results == [.failure(.limit("64 procedures are already queued on the link"))])
        #expect(queue.finish(.success(1)))
        #expect(started == 2 && results.last == .success(1))
        // Now there is room for one.
        queue.run(start: { started += 1 }, completion: { results.append($0) })
        #expect(results.count == 2)
        queue.close(.cancelled)
        #expect(results.count == 67 && results.suffix(65) == Array(repeating: .failure(.cancelled), count: 65)[...])
        #expect(!queue.isRunning && !queue.finish(.success(2)) && started == 2)
    }

    @Test func aProcedureEndsAfter45Seconds() {
        let time = HostTime()
        let queue = LinkProcedureQueue<Int>(time: time)
        var results: [Result<Int, RadioError>] = []
        queue.run(start: {}, completion: { results.append($0) })
        func advance(to instant: RadioInstant) {
            time.current = instant
            time.timers.fire(upTo: instant)
        }
        advance(to: .start + .milliseconds(44_999))
        #expect(results.isEmpty)
        advance(to: .start + .seconds(45))
        #expect(results == [.failure(.timeout)] && !queue.isRunning)
    }
}
