import DequeModule
import Forwarding
import Foundation
import Synchronization

/// The messages that wait for a receiver, in memory. Beyond a limit the oldest is dropped and counted.
package final class SensorOutbox: Sendable {
    /// The counts since the start, and the messages that wait.
    package struct Counts: Sendable, Equatable {
        package var waiting = 0, delivered = 0, dropped = 0, refused = 0
    }

    private struct State {
        var messages: Deque<SensorMessage> = []
        /// The messages at the front that are being delivered.
        var inFlight = 0
        var counts = Counts()
        var attempts = 0
    }

    package let receiver: any SensorReceiver
    private let limit: Int
    private let state = Mutex(State())
    private let wakes = Wakes()
    /// Receives the reason of a failure, and nil when a later delivery succeeds.
    private let report: @Sendable (String?) -> Void
    private static let longestPause = Duration.seconds(60)

    /// Creates an empty outbox.
    package init(_ receiver: any SensorReceiver, limit: Int, report: @escaping @Sendable (String?) -> Void) {
        (self.receiver, self.limit, self.report) = (receiver, limit, report)
    }

    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = state.messages.count
            return counts
        }
    }

    package func add(_ message: SensorMessage) {
        state.withLock { state in
            state.messages.append(message)
            guard state.messages.count > limit else { return }
            // Those in flight may have arrived.
            state.messages.remove(at: min(state.inFlight, state.messages.count - 1))
            state.counts.dropped += 1
        }
        wakes.wake()
    }

    /// Delivers messages until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            let (seen, connections) = (wakes.count, receiver.connections.count)
            switch await deliverBatch() {
            case .nothing: await wakes.wait(after: seen, atMost: .seconds(30))
            case .progress: continue
            case .failed(let pause):
                await Wakes.wait(
                    for: [(receiver.connections, connections)], atMost: min(pause, Self.longestPause))
            }
        }
    }

    /// Delivers what waits, without pauses, as long as deliveries succeed.
    package func flush() async {
        while !Task.isCancelled, case .progress = await deliverBatch() {}
    }

    private enum Progress { case nothing, progress, failed(Duration) }

    /// Delivers the messages at the front, each of another subject, so that the order of those of a subject is kept.
    private func deliverBatch() async -> Progress {
        let batch = state.withLock { state in
            var subjects: Set<String> = []
            let batch = state.messages.prefix(receiver.lanes).prefix { subjects.insert($0.subject).inserted }
            state.inFlight = batch.count
            return Array(batch)
        }
        guard !batch.isEmpty else { return .nothing }
        let results = await withTaskGroup(of: (Int, Delivery).self) { group in
            for (index, message) in batch.enumerated() {
                group.addTask { (index, await self.receiver.deliver(message)) }
            }
            var results = [Delivery](repeating: .failed("cancelled", after: nil), count: batch.count)
            for await (index, result) in group { results[index] = result }
            return results
        }
        let failure: (reason: String, after: Duration?)? = state.withLock { state in
            var failure: (String, Duration?)?
            var rest: [SensorMessage] = []
            for (message, result) in zip(batch, results) {
                switch result {
                case .delivered: state.counts.delivered += 1
                case .refused(let reason):
                    state.counts.refused += 1
                    failure = failure ?? (reason, nil)
                case .failed(let reason, let after):
                    rest.append(message)
                    failure = (reason, after)
                }
            }
            state.messages.removeFirst(batch.count)
            state.messages.insert(contentsOf: rest, at: 0)
            state.inFlight = 0
            state.attempts = rest.isEmpty ? 0 : state.attempts + 1
            return failure
        }
        report(failure?.reason)
        guard let failure, results.contains(where: { if case .failed = $0 { true } else { false } }) else {
            return .progress
        }
        let attempts = state.withLock { $0.attempts }
        return .failed(.seconds(Delivery.pause(after: attempts - 1, requested: failure.after)))
    }
}
