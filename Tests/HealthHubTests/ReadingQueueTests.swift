import Dispatch
import Foundation
import TestSupport
import Testing

@testable import HealthHub

/// Batches of several gateways in one transaction.
@Suite(.blocksThread, .timeLimit(.minutes(5))) struct ReadingQueueTests {
    @Test("A database error of one batch does not fail those of other gateways in its transaction")
    func errorOfOneBatch() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        _ = try await store.database.write(.administration) { db in
            try db.run(
                """
                CREATE TRIGGER broken BEFORE INSERT ON reading WHEN NEW.v1 = 99
                BEGIN SELECT RAISE(ABORT, 'broken'); END
                """, [])
        }
        let queue = ReadingQueue(store: store)
        // The transaction of the first batch waits for the database, so that the others share the next one.
        let (held, hold) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            try? store.database.write(.rows) { _ in
                hold.finish()
                release.wait()
            }
        }
        for await _ in held {}
        let first = Task { try await queue.store([Self.reading(61)], gateway: "first") }
        while queue.progress != (true, 0) { try await Task.pause() }
        let others = [70, 99, 80].map { value in
            Task { try await queue.store([Self.reading(value)], gateway: "gateway \(value)") }
        }
        while queue.progress.waiting < others.count { try await Task.pause() }
        release.signal()
        #expect(try await first.value.results.map(\.status) == [.stored])
        #expect(try await others[0].value.results.map(\.status) == [.stored])
        #expect(try await others[2].value.results.map(\.status) == [.stored])
        await #expect(throws: HubProblem.self) { try await others[1].value }
        #expect(try store.unassignedReadings().total == 3)
    }

    private static func reading(_ weight: Int) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "D-\(weight)")
        reading.time = "2026-11-20T08:00:00Z"
        reading.fields = ["weight": .int(Int(weight))]
        return reading
    }
}
