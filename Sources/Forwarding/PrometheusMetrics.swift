import CoreMetrics
import Foundation
import Synchronization

/// Collects the metrics of swift-metrics, and writes them in the text format of Prometheus (version 0.0.4).
package final class PrometheusMetrics: MetricsFactory, Sendable {
    /// The name and the labels of a series.
    private struct Key: Hashable {
        let name: String
        let labels: String
    }

    private let series = Mutex<[Key: PrometheusSeries]>([:])

    /// Creates a collection without metrics.
    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, dimensions, .counter)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, dimensions, .gauge)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        find(label, dimensions, aggregate ? .histogram : .gauge)
    }

    /// Makes a histogram in seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(label, dimensions, .histogram)
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func find(_ label: String, _ dimensions: [(String, String)], _ kind: PrometheusSeries.Kind)
        -> PrometheusSeries
    {
        let labels = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        return series.withLock { series in
            let key = Key(name: Self.name(label), labels: labels)
            if let known = series[key] { return known }
            let new = PrometheusSeries(kind)
            series[key] = new
            return new
        }
    }

    private func remove(_ handler: AnyObject) {
        series.withLock { series in series = series.filter { $0.value !== handler } }
    }

    package var text: String {
        let all = series.withLock { $0 }.sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }
        var (text, name) = ("", "")
        for (key, series) in all {
            if key.name != name { text += "# TYPE \(key.name) \(series.kind.rawValue)\n" }
            name = key.name
            text += series.lines(name, key.labels)
        }
        return text
    }

    /// Replaces the characters that a name must not have.
    private static func name(_ label: String) -> String {
        let characters = label.map { (one: Character) -> Character in
            one.isASCII && (one.isLetter || one.isNumber || one == "_") ? one : "_"
        }
        return String(characters)
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// The values of a name and its labels.
final class PrometheusSeries: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind: String { case counter, gauge, histogram }

    private struct Values {
        var value = 0.0
        var count = 0
        var buckets = Array(repeating: 0, count: PrometheusSeries.limits.count)
    }

    /// The upper limits of the buckets of a histogram.
    private static let limits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    let kind: Kind
    private let values = Mutex(Values())

    init(_ kind: Kind) { self.kind = kind }

    func increment(by amount: Int64) { values.withLock { $0.value += Double(amount) } }
    func increment(by amount: Double) { values.withLock { $0.value += amount } }
    func decrement(by amount: Double) { values.withLock { $0.value -= amount } }
    func reset() { values.withLock { $0 = Values() } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { values.withLock { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        guard kind == .histogram else { return set(value) }
        values.withLock { values in
            values.value += value
            values.count += 1
            if let index = Self.limits.firstIndex(where: { value <= $0 }) { values.buckets[index] += 1 }
        }
    }

    func lines(_ name: String, _ labels: String) -> String {
        let values = values.withLock { $0 }
        let shown = labels.isEmpty ? "" : "{\(labels)}"
        guard kind == .histogram else { return "\(name)\(shown) \(Self.number(values.value))\n" }
        let prefix = labels.isEmpty ? "" : labels + ","
        var (text, sum) = ("", 0)
        for (limit, count) in zip(Self.limits, values.buckets) {
            sum += count
            text += "\(name)_bucket{\(prefix)le=\"\(Self.number(limit))\"} \(sum)\n"
        }
        text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(values.count)\n"
        return text + "\(name)_sum\(shown) \(Self.number(values.value))\n\(name)_count\(shown) \(values.count)\n"
    }

    /// Returns a number without a fraction of zero.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? "\(value)"
    }
}
