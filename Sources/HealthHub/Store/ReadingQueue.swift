#if Programs
import Dispatch
import Foundation
import Synchronization

/// Writes batches of readings. Pending batches share one transaction, and thus one disk synchronization.
package final class ReadingQueue: Sendable {
    /// The maximum number of pending batches. Further batches are refused with ``HubProblem/Code/busy``.
    package static let bound = 1000
    /// The maximum number of readings in one transaction.
    private static let largestTransaction = 2000
    /// The number of batches in a transaction after which the next one waits for ``gathering``. With so many senders,
    /// fewer and larger transactions reduce the latency of all.
    private static let manyBatches = 16
    /// The time for which a transaction collects further batches, in seconds.
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
    /// Blocks on the disk or on the server instead of a thread of Swift's pool.
    private let queue = DispatchQueue(label: "harald.hub.readings")

    /// Creates a queue for a store.
    /// - Parameter zone: the time zone of the wall time that devices show.
    package init(store: HubStore, zone: TimeZone = .current) {
        self.store = store
        self.zone = zone
    }

    /// Stores readings.
    /// - Returns: the results, after the transaction is on the disk.
    /// - Throws: ``HubProblem``; nothing of the batch is stored then.
    package func store(_ readings: [SubmittedReading], gateway: String) async throws(HubProblem) -> BatchResult {
        guard readings.count <= HubStore.largestBatch else {
            throw HubProblem(.invalid, "a batch may have at most \(HubStore.largestBatch) readings")
        }
        // Prepares outside the transaction, so that the transaction contains only work that requires the store.
        let batch = PreparedBatch(readings[...], gateway: gateway, arrived: Date(), zone: zone)
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
        case .full: batch.answer(.failure(HubProblem(.busy, "\(Self.bound) requests are already queued for the disk")))
        }
    }

    private func run() {
        var isBusy = false
        while let batches = next(afterGathering: isBusy) {
            isBusy = batches.count >= Self.manyBatches
            do {
                let results = try store.database.write(.readings) { db in
                    var writer = ReadingWriter(db)
                    return try writer.write(batches.map(\.batch))
                }
                for (batch, result) in zip(batches, results) { batch.answer(.success(result)) }
            } catch {
                let problem = HubProblem(error)
                for batch in batches { batch.answer(.failure(problem)) }
            }
        }
    }

    /// Returns the batches for the next transaction; nil if none is waiting.
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
