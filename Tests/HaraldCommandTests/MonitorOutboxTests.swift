import Synchronization
import Testing

@testable import HaraldCommand

@Suite("The output of a monitor that sends")
struct MonitorOutboxTests {
    @Test("An answer is below its reading only if nothing was printed between them")
    func belowReading() {
        let printed = PrintedReading()
        let below = Mutex<[Bool]>([])
        func answer(_ id: String) { printed.print(answer: id) { isBelow in below.withLock { $0.append(isBelow) } } }
        printed.print(reading: "a") {}
        answer("a")
        // The second answer is below the first one.
        answer("a")
        printed.print(reading: "a") {}
        printed.print(reading: "b") {}
        answer("a")
        answer("b")
        #expect(below.withLock { $0 } == [true, false, false, false])
    }

    @Test("Only what the next run sends is promised")
    func remainder() {
        #expect(MonitorOutbox.remainder(0, after: .nothing, in: "/q") == "no reading is queued")
        #expect(
            MonitorOutbox.remainder(2, after: .failed("no response in time", after: nil), in: "/q")
                == "2 readings are still queued in /q (no response in time); "
                + "the next 'harald monitor --send' sends them")
        for count in [2, nil] {
            let text = MonitorOutbox.remainder(
                count, after: .blocked("cannot read the queue /q/queue.sqlite"), in: "/q")
            #expect(text.hasPrefix("cannot read the queue /q/queue.sqlite") && !text.contains("the next"), "\(text)")
        }
    }
}
