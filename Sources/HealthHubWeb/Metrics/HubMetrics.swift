import CoreMetrics
import Forwarding
import Foundation
import HealthHub
import Synchronization

/// The metrics of a hub. They have no data of people.
final class HubMetrics: Sendable {
    private struct Outcome: Hashable {
        let method: String
        let status: Int
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    private let factory: PrometheusMetrics
    private let readings: [ReadingResult.Status: Counter]
    /// Finding a metric by its labels would take longer than counting.
    private let requests = Mutex<[Outcome: (count: Counter, duration: CoreMetrics.Timer)]>([:])
    /// The metrics of each receiver, by its number.
    private let outboxes = Mutex<[Int64: [Meter]]>([:])

    init() {
        let factory = PrometheusMetrics()
        self.factory = factory
        let statuses = ReadingResult.Status.allCases.map { status in
            let dimensions = [("status", status.rawValue)]
            return (status, Counter(label: "harald_hub_readings_total", dimensions: dimensions, factory: factory))
        }
        readings = Dictionary(uniqueKeysWithValues: statuses)
    }

    /// Counts a request and its duration.
    func observe(method: String, status: Int, duration: Duration) {
        let outcome = Outcome(method: Self.methods.contains(method) ? method : "other", status: status)
        let metrics = requests.withLock { requests in
            if let known = requests[outcome] { return known }
            let dimensions = [("method", outcome.method), ("status", String(status))]
            let new = (
                count: Counter(label: "harald_hub_requests_total", dimensions: dimensions, factory: factory),
                duration: CoreMetrics.Timer(
                    label: "harald_hub_request_duration_seconds", dimensions: [dimensions[0]], factory: factory)
            )
            requests[outcome] = new
            return new
        }
        metrics.count.increment()
        metrics.duration.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    func count(_ results: [ReadingResult]) {
        for result in results { readings[result.status]?.increment() }
    }

    /// Returns the metrics as text, with the current state of the store.
    func text(_ store: HubStore) async -> String {
        let boxes = try? await store.perform { try $0.outboxes() }
        Meter(label: "harald_hub_store_up", factory: factory).set(boxes == nil ? 0 : 1)
        if let boxes { set(boxes) }
        return factory.text
    }

    /// Sets the metrics of the outboxes, and removes those of removed receivers.
    private func set(_ boxes: [OutboxState]) {
        let now = Date()
        outboxes.withLock { outboxes in
            for removed in Set(outboxes.keys).subtracting(boxes.map(\.id)) {
                for meter in outboxes.removeValue(forKey: removed) ?? [] { meter.destroy() }
            }
            for box in boxes {
                // The name of a receiver may be its address, which is confidential.
                let dimensions = [("receiver", String(box.id)), ("kind", box.kind)]
                let oldest = box.oldest.flatMap { try? Date.ISO8601FormatStyle().parse($0) }
                let age = oldest.map { now.timeIntervalSince($0) } ?? 0
                let values = [
                    ("pending", Double(box.pending)), ("parked", Double(box.parked)), ("oldest_seconds", max(0, age)),
                ]
                outboxes[box.id] = values.map { name, value in
                    let meter = Meter(label: "harald_hub_outbox_\(name)", dimensions: dimensions, factory: factory)
                    meter.set(value)
                    return meter
                }
            }
        }
    }
}
