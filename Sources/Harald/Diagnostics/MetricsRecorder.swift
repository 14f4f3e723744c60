import BluetoothBackend
import BluetoothRuntime
import CoreMetrics

extension Central {
    /// Records ``diagnostics`` as metrics of swift-metrics until the task is cancelled or the adapter is closed.
    ///
    ///     async let metrics: Void = central.recordMetrics()
    ///
    /// Every counter is a `Counter`: `harald_connection_failures` with the dimensions `adapter` and, where the counter
    /// has reasons, `reason`. `harald_open_links` is a gauge.
    /// - Parameters:
    ///   - interval: the time between two records, on the adapter's clock.
    ///   - factory: the metrics backend.
    public func recordMetrics(
        every interval: Duration = .seconds(10), to factory: any MetricsFactory = MetricsSystem.factory
    ) async {
        await radio.recordMetrics(every: interval, to: factory)
    }
}

extension LocalPeripheral {
    /// Records ``diagnostics`` as metrics of swift-metrics, as ``Central/recordMetrics(every:to:)`` does.
    /// - Parameters:
    ///   - interval: the time between two records, on the adapter's clock.
    ///   - factory: the metrics backend.
    public func recordMetrics(
        every interval: Duration = .seconds(10), to factory: any MetricsFactory = MetricsSystem.factory
    ) async {
        await core.radio.recordMetrics(every: interval, to: factory)
    }
}

extension AdapterSession {
    fileprivate func recordMetrics(every interval: Duration, to factory: any MetricsFactory) async {
        let clock = AdapterClock(loop: loop)
        var recorder = MetricsRecorder(factory: factory)
        repeat {
            recorder.record(await diagnostics)
            try? await clock.sleep(for: interval)
        } while !Task.isCancelled && state != .unsupported
        recorder.record(await diagnostics)
    }
}

/// Passes the increase of each counter to a metrics backend.
private struct MetricsRecorder {
    private struct Key: Hashable {
        let name: String
        let reason: String
    }

    let factory: any MetricsFactory
    private var counters: [Key: (counter: Counter, value: Int)] = [:]
    private var openLinks: Gauge?

    init(factory: any MetricsFactory) { self.factory = factory }

    mutating func record(_ diagnostics: Diagnostics) {
        let adapter = ("adapter", diagnostics.adapter.uri)
        for entry in diagnostics.counters {
            let key = Key(name: entry.name, reason: entry.reason)
            let known = counters[key] ?? (makeCounter(key, adapter), 0)
            if entry.value > known.value { known.counter.increment(by: entry.value - known.value) }
            counters[key] = (known.counter, entry.value)
        }
        let gauge = openLinks ?? Gauge(label: "harald_open_links", dimensions: [adapter], factory: factory)
        gauge.record(diagnostics.links.count)
        openLinks = gauge
    }

    private func makeCounter(_ key: Key, _ adapter: (String, String)) -> Counter {
        let label = "harald_" + key.name.map { $0 == " " ? "_" : String($0) }.joined()
        let reason = key.reason.isEmpty ? [] : [("reason", key.reason)]
        return Counter(label: label, dimensions: [adapter] + reason, factory: factory)
    }
}
