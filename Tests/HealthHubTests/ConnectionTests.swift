import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import HealthHub

/// The connections of a store to its file.
@Suite(.timeLimit(.minutes(5)), .blocksThread) struct ConnectionTests {
    /// Runs tasks on a queue while it is open.
    private final class Gate: TaskExecutor {
        private struct State {
            var isOpen = true
            var waiting: [UnownedJob] = []
        }
        private let queue = DispatchQueue(label: "gate")
        private let state = Mutex(State())

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let runs = state.withLock { state in
                if !state.isOpen { state.waiting.append(job) }
                return state.isOpen
            }
            if runs { run(job) }
        }

        private func run(_ job: UnownedJob) {
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        func close() { state.withLock { $0.isOpen = false } }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for job in waiting { run(job) }
        }
    }

    /// All threads of Swift's pool may be waiting for a connection, so tasks that cannot continue must not hold any.
    @Test func aTaskThatCannotContinueHoldsNoConnection() async throws {
        let store = try TemporaryStore()
        let (database, gate, end) = (store.store.database, Gate(), DispatchSemaphore(value: 0))
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let readers = SQLiteDatabase.readerCount
        let tasks = (0..<readers).map { _ in
            Task(executorPreference: gate) {
                try await database.read { db in
                    begin.yield()
                    end.wait()
                    return try db.value("SELECT 1", []) as Int?
                }
            }
        }
        var iterator = begun.makeAsyncIterator()
        for _ in 0..<readers { await iterator.next() }
        gate.close()
        for _ in 0..<readers { end.signal() }
        let (reads, read) = AsyncStream<Void>.makeStream()
        DispatchQueue(label: "read").async {
            _ = try? database.read { try $0.value("SELECT 1", []) as Int? }
            read.yield()
        }
        // The time limit ends this wait if the connections are held.
        var readings = reads.makeAsyncIterator()
        #expect(await readings.next() != nil)
        gate.open()
        for task in tasks { #expect(try await task.value == 1) }
    }
}
