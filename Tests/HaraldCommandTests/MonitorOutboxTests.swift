#if Programs
import Testing

@testable import HaraldCommand

@Suite("The output of a monitor that sends")
struct MonitorOutboxTests {
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
#endif
