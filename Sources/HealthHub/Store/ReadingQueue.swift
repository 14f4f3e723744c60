import Dispatch
import Foundation
import Synchronization

/// Writes batches of readings. Pending batches share one transaction, and thus one disk synchronization.
package final class ReadingQueue: Sendable {
    /// The maximum number of pending batches. Further batches are refused with ``HubProblem/Code/busy``.
    package static let bound = 1000
    /// The number of pending readings from which further batches are refused, for the memory that they take.
    private static let mostRecords = 50_000
    /// The maximum number of readings in one transaction.
    private static let largestTransaction = 2000
    /// The number of batches in a transaction after which the next one waits for ``gathering``. With so many senders,
    /// fewer and larger transactions reduce the latency of all.
    private static let manyBatches = 16
    /// The time for which a transaction collects further batches, in seconds.
    private static let gathering = 0.002

    private struct Pending: Sendable {
        let batch: PreparedBatch
        let answer: @Sendable (Result<BatchResult, HubProblem>) -> Void
    }

    private struct State {
        /// The batches of each gateway, in the order of their arrival; no empty lists.
        var pending: [String: [Pending]] = [:]
        /// The gateways with pending batches, in the order of their turns.
        var turns: [String] = []
        var count = 0
        /// The number of pending readings; a submitted one may have several records.
        var records = 0
        var isRunning = false
    }

    private let store: HubStore
    private let zone: TimeZone
    /// Called after a transaction that queued messages for receivers.
    private let onMessages: @Sendable () -> Void
    private let state = Mutex(State())
    /// Blocks on the disk or on the server instead of a thread of Swift's pool.
    private let queue = DispatchQueue(label: "harald.hub.readings")

    /// Creates a queue for a store.
    /// - Parameters:
    ///   - zone: the time zone of the wall time that devices show.
    ///   - onMessages: called after a transaction that queued messages for receivers.
    package init(
        store: HubStore, zone: TimeZone = .current, onMessages: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.zone = zone
        self.onMessages = onMessages
    }

    /// Stores readings.
    /// - Parameter scope: the scope of the gateway's token; nil for all.
    /// - Returns: the results and the states of the people concerned, after the transaction is on the disk.
    /// - Throws: ``HubProblem``; nothing of the batch is stored then.
    package func store(
        _ readings: [SubmittedReading], gateway: String, scope: AccessScope? = nil
    ) async throws(HubProblem) -> BatchResult {
        guard readings.count <= HubStore.largestBatch else {
            throw HubProblem(.tooLarge, "a batch may have at most \(HubStore.largestBatch) readings")
        }
        // Prepares outside the transaction, so that the transaction contains only work that requires the store.
        let batch = PreparedBatch(readings, gateway: gateway, scope: scope, arrived: Date(), zone: zone)
        let result: Result<BatchResult, HubProblem> = await withCheckedContinuation { continuation in
            add(Pending(batch: batch) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    /// True while transactions are written; the number of batches that wait for the next one.
    var progress: (isRunning: Bool, waiting: Int) { state.withLock { ($0.isRunning, $0.count) } }

    private func add(_ batch: Pending) {
        let starts = state.withLock { state -> Bool? in
            guard state.count < Self.bound, state.records < Self.mostRecords else { return nil }
            let gateway = batch.batch.gateway
            state.count += 1
            state.records += batch.batch.recordCount
            if state.pending[gateway, default: []].isEmpty { state.turns.append(gateway) }
            state.pending[gateway, default: []].append(batch)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard let starts else {
            return batch.answer(.failure(HubProblem(.busy, "too many requests are already queued for the disk")))
        }
        if starts { queue.async { self.run() } }
    }

    private func run() {
        var (isBusy, isReported) = (false, false)
        while let batches = next(afterGathering: isBusy) {
            isBusy = batches.count >= Self.manyBatches
            do { try write(batches) } catch  where batches.count > 1 && Self.concernsBatch(error) {
                // The error of one batch must not fail those of other gateways.
                for batch in batches {
                    do { try write([batch]) } catch { batch.answer(.failure(HubProblem(error))) }
                }
            } catch {
                let problem = HubProblem(error)
                // Once for a burst of requests.
                if !isReported { HubStore.logger.error("readings are refused", metadata: ["reason": "\(problem)"]) }
                isReported = true
                for batch in batches { batch.answer(.failure(problem)) }
            }
        }
    }

    /// Writes the batches in one transaction, and answers them.
    private func write(_ batches: [Pending]) throws {
        let (results, hasMessages) = try store.database.write(.readings) { db in
            var writer = ReadingWriter(db)
            return (try writer.write(batches.map(\.batch)), writer.hasMessages)
        }
        if hasMessages { onMessages() }
        answer(batches, results)
    }

    /// Returns false if the next batch would fail too: the disk is full, or the database's server cannot be reached.
    private static func concernsBatch(_ error: any Error) -> Bool {
        (error as? PostgresError)?.isLost != true && HubProblem(error).code != .full
    }

    /// Answers the batches of a transaction while the next one is written. Batches of the same people share a task,
    /// and thus the states.
    private func answer(_ batches: [Pending], _ written: [[WrittenReading]]) {
        var groups: [Set<Int64>: [(Pending, [WrittenReading])]] = [:]
        for (batch, readings) in zip(batches, written) {
            groups[Set(readings.compactMap(\.owner)), default: []].append((batch, readings))
        }
        for (people, group) in groups {
            Task { [store] in
                var states: [Int64: String] = [:]
                for person in people {
                    do {
                        states[person] = try await store.currentStateJSON(of: person)
                    } catch {
                        // The readings are stored, so the request does not fail.
                        HubStore.logger.error(
                            "the state of a person cannot be read",
                            metadata: ["person": "\(person)", "error": "\(error)"])
                    }
                }
                for (batch, readings) in group {
                    var result = store.result(of: readings)
                    result.states = states.filter { batch.batch.scope?.people.contains($0.key) ?? true }
                    batch.answer(.success(result))
                }
            }
        }
    }

    /// Returns the batches for the next transaction; nil if none is waiting. Gateways take turns, so that one with many
    /// batches does not delay another.
    private func next(afterGathering isBusy: Bool) -> [Pending]? {
        if isBusy { Thread.sleep(forTimeInterval: Self.gathering) }
        return state.withLock { state in
            var batches: [Pending] = []
            var readings = 0
            while let gateway = state.turns.first, let batch = state.pending[gateway]?.first {
                readings += batch.batch.readings.count
                guard batches.isEmpty || readings <= Self.largestTransaction else { break }
                batches.append(batch)
                state.turns.removeFirst()
                state.pending[gateway]?.removeFirst()
                if state.pending[gateway]?.isEmpty == false {
                    state.turns.append(gateway)
                } else {
                    state.pending[gateway] = nil
                }
            }
            state.count -= batches.count
            state.records -= batches.reduce(0) { $0 + $1.batch.recordCount }
            guard batches.isEmpty else { return batches }
            state.isRunning = false
            return nil
        }
    }
}
