#if Programs
import Dispatch
import Foundation
import Synchronization

/// Writes batches of readings. Batches that wait at the same time share one transaction, and so one wait for the disk.
package final class ReadingQueue: Sendable {
    /// Largest number of batches that wait. More of them are answered with ``HubProblem/Code/busy``.
    package static let bound = 1000
    /// Largest number of readings in one transaction.
    private static let largestTransaction = 2000
    /// Number of batches in a transaction from which the next one waits for ``gathering``: so many senders are busy that
    /// fewer and larger transactions answer all of them sooner.
    private static let manyBatches = 16
    /// Time in which further batches join a transaction, in seconds.
    private static let gathering = 0.002

    private struct Pending: Sendable {
        let batch: PreparedBatch
        let answer: @Sendable (Result<[WrittenReading], HubProblem>) -> Void
    }

    private struct State {
        var pending: [Pending] = []
        var isRunning = false
    }

    private let store: HubStore
    private let zone: TimeZone
    private let state = Mutex(State())
    /// The disk is waited for here, not on a thread of Swift's pool.
    private let queue = DispatchQueue(label: "harald.hub.readings")

    /// A queue of a store.
    /// - Parameter zone: zone of the wall time that devices show.
    package init(store: HubStore, zone: TimeZone = .current) {
        self.store = store
        self.zone = zone
    }

    /// Stores readings.
    /// - Returns: the results, after the transaction is on the disk.
    /// - Throws: ``HubProblem``; nothing of the batch is stored then.
    package func store(_ readings: [SubmittedReading], gateway: String) async throws(HubProblem) -> BatchResult {
        guard readings.count <= HubStore.largestBatch else {
            throw HubProblem(.invalid, "a batch has at most \(HubStore.largestBatch) readings")
        }
        // Only what needs the store is done in the transaction, for which everybody waits.
        let batch = PreparedBatch(readings, gateway: gateway, arrived: Date(), zone: zone)
        let written: Result<[WrittenReading], HubProblem> = await withCheckedContinuation { continuation in
            add(Pending(batch: batch) { continuation.resume(returning: $0) })
        }
        return store.result(of: try written.get())
    }

    private func add(_ batch: Pending) {
        enum Outcome { case queued, started, full }
        let outcome = state.withLock { state -> Outcome in
            guard state.pending.count < Self.bound else { return .full }
            state.pending.append(batch)
            if state.isRunning { return .queued }
            state.isRunning = true
            return .started
        }
        switch outcome {
        case .queued: break
        case .started: queue.async { self.run() }
        case .full: batch.answer(.failure(HubProblem(.busy, "\(Self.bound) requests wait for the disk")))
        }
    }

    private func run() {
        var isBusy = false
        while let batches = next(afterGathering: isBusy) {
            isBusy = batches.count >= Self.manyBatches
            do {
                let results = try store.pool.write { db in
                    var writer = ReadingWriter(db)
                    return try batches.map { try writer.write($0.batch) }
                }
                for (batch, result) in zip(batches, results) { batch.answer(.success(result)) }
            } catch {
                let problem = HubProblem(error)
                for batch in batches { batch.answer(.failure(problem)) }
            }
        }
    }

    /// The batches of the next transaction; nil when none waits.
    private func next(afterGathering isBusy: Bool) -> [Pending]? {
        if isBusy { Thread.sleep(forTimeInterval: Self.gathering) }
        return state.withLock { state in
            guard !state.pending.isEmpty else {
                state.isRunning = false
                return nil
            }
            var count = 0
            let end = state.pending.firstIndex { batch in
                count += batch.batch.readings.count
                return count > Self.largestTransaction
            }
            let batches = Array(state.pending.prefix(max(1, end ?? state.pending.count)))
            state.pending.removeFirst(batches.count)
            return batches
        }
    }
}
#endif
