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
        let current = PrometheusMetrics()
        func gauge(_ name: String, _ value: Double, _ labels: [(String, String)] = []) {
            current.makeMeter(label: "harald_hub_\(name)", dimensions: labels).set(value)
        }
        gauge("store_up", boxes == nil ? 0 : 1)
        for box in boxes ?? [] {
            // The name of a receiver may be its address, which is confidential.
            let labels = [("receiver", String(box.id)), ("kind", box.kind)]
            let oldest = box.oldest.flatMap { try? Date.ISO8601FormatStyle().parse($0) }
            gauge("outbox_pending", Double(box.pending), labels)
            gauge("outbox_parked", Double(box.parked), labels)
            gauge("outbox_oldest_seconds", max(0, oldest.map { Date().timeIntervalSince($0) } ?? 0), labels)
        }
        return factory.text + current.text
    }
}
