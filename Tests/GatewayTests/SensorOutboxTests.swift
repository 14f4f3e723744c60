import Forwarding
import Foundation
import Synchronization
import Testing

@testable import Gateway

/// A receiver whose results a test decides.
private final class FakeReceiver: SensorReceiver {
    let name = "fake"
    let lanes = 4
    let connections = Wakes()
    private let result: @Sendable (SensorMessage) async -> Delivery
    let received = Mutex<[String]>([])

    init(_ result: @escaping @Sendable (SensorMessage) async -> Delivery) { self.result = result }

    func deliver(_ message: SensorMessage) async -> Delivery {
        let delivery = await result(message)
        if delivery == .delivered { received.withLock { $0.append(message.subject + message.text) } }
        return delivery
    }

    func close() async {}
}

@Suite("The outbox of a receiver")
struct SensorOutboxTests {
    private static func message(_ subject: String, _ text: String) -> SensorMessage {
        SensorMessage(.readings, of: subject, shape: 1, text: text, time: Date())
    }

    @Test("Beyond the limit the oldest message is dropped and counted; the order of a subject is kept")
    func limit() async {
        let isThere = Mutex(false)
        let receiver = FakeReceiver { _ in isThere.withLock { $0 } ? .delivered : .failed("away", after: nil) }
        let reasons = Mutex<[String?]>([])
        let outbox = SensorOutbox(receiver, limit: 6) { reason in reasons.withLock { $0.append(reason) } }
        for number in 0..<5 {
            outbox.add(Self.message("a", "\(number)"))
            outbox.add(Self.message("b", "\(number)"))
        }
        #expect(outbox.counts == .init(waiting: 6, delivered: 0, dropped: 4, refused: 0))
        await outbox.flush()
        #expect(outbox.counts.waiting == 6 && reasons.withLock { $0 } == ["away"])
        isThere.withLock { $0 = true }
        await outbox.flush()
        #expect(outbox.counts == .init(waiting: 0, delivered: 6, dropped: 4, refused: 0))
        let received = receiver.received.withLock { $0 }
        #expect(received.filter { $0.hasPrefix("a") } == ["a2", "a3", "a4"])
        #expect(received.filter { $0.hasPrefix("b") } == ["b2", "b3", "b4"])
    }

    @Test("A refused message is counted, and does not hold up the others")
    func refused() async {
        let receiver = FakeReceiver { $0.text == "1" ? .refused("no") : .delivered }
        let outbox = SensorOutbox(receiver, limit: 10) { _ in }
        for number in 0..<3 { outbox.add(Self.message("a", "\(number)")) }
        await outbox.flush()
        #expect(outbox.counts == .init(waiting: 0, delivered: 2, dropped: 0, refused: 1))
        #expect(receiver.received.withLock { $0 } == ["a0", "a2"])
    }

    @Test("A message that is being delivered is not dropped")
    func inFlight() async {
        let (starts, start) = AsyncStream<Void>.makeStream()
        let gate = Wakes()
        let receiver = FakeReceiver { message in
            guard message.text == "0" else { return .delivered }
            let seen = gate.count
            start.yield()
            await gate.wait(after: seen, atMost: .seconds(60))
            return .delivered
        }
        let outbox = SensorOutbox(receiver, limit: 2) { _ in }
        outbox.add(Self.message("a", "0"))
        let flushing = Task { await outbox.flush() }
        for await _ in starts { break }
        for number in 1..<4 { outbox.add(Self.message("a", "\(number)")) }
        gate.wake()
        await flushing.value
        #expect(receiver.received.withLock { $0 } == ["a0", "a3"])
        #expect(outbox.counts == .init(waiting: 0, delivered: 2, dropped: 2, refused: 0))
    }

    @Test("A receiver that connects again gets the messages without the rest of the pause")
    func connection() async {
        let isThere = Mutex(false)
        let receiver = FakeReceiver { _ in isThere.withLock { $0 } ? .delivered : .failed("away", after: .seconds(600))
        }
        let (failures, failure) = AsyncStream<String?>.makeStream()
        let outbox = SensorOutbox(receiver, limit: 10) { failure.yield($0) }
        outbox.add(Self.message("a", "0"))
        let running = Task { await outbox.run() }
        for await reason in failures where reason == "away" { break }
        isThere.withLock { $0 = true }
        receiver.connections.wake()
        for await reason in failures where reason == nil { break }
        #expect(outbox.counts.delivered == 1)
        running.cancel()
        await running.value
    }
}
