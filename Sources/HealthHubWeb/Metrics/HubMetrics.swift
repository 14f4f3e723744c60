#if Programs
import CoreMetrics
import Foundation
import HealthHub

/// The metrics of a hub. They have no data of people.
struct HubMetrics: Sendable {
    private let factory = PrometheusMetrics()

    /// Counts a request and its duration.
    func observe(method: String, status: Int, duration: Duration) {
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        let dimensions = [("method", methods.contains(method) ? method : "other"), ("status", String(status))]
        Counter(label: "harald_hub_requests_total", dimensions: dimensions, factory: factory).increment()
        CoreMetrics.Timer(label: "harald_hub_request_duration_seconds", dimensions: [dimensions[0]], factory: factory)
            .recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }

    /// Counts the readings of a batch.
    func count(_ results: [ReadingResult]) {
        for (status, results) in Dictionary(grouping: results, by: \.status) {
            Counter(
                label: "harald_hub_readings_total", dimensions: [("status", status.rawValue)], factory: factory
            ).increment(by: results.count)
        }
    }

    /// Returns the metrics as text, with the current state of the store.
    func text(_ store: HubStore) async -> String {
        let boxes = try? await store.perform { try $0.outboxes() }
        Meter(label: "harald_hub_store_up", factory: factory).set(boxes == nil ? 0 : 1)
        let now = Date()
        for (number, box) in (boxes ?? []).enumerated() {
            // The name of a receiver may be its address, which is nobody else's business.
            let dimensions = [("receiver", String(number + 1)), ("kind", box.kind)]
            let oldest = box.oldest.flatMap { try? Date.ISO8601FormatStyle().parse($0) }
            let age = oldest.map { now.timeIntervalSince($0) } ?? 0
            for (name, value) in [
                ("pending", Double(box.pending)), ("parked", Double(box.parked)), ("oldest_seconds", max(0, age)),
            ] {
                Meter(label: "harald_hub_outbox_\(name)", dimensions: dimensions, factory: factory).set(value)
            }
        }
        return factory.text
    }
}
#endif
