import CoreMetrics
import Harald
import Synchronization
import Testing

/// Counters as metrics of swift-metrics.
@Suite(.closesRigs, .timeLimit(.minutes(2))) struct MetricsTests {
    @Test func countersAreRecordedAsMetrics() async throws {
        let rig = try await Rig()
        let metrics = RecordedMetrics()
        let recording = Task { await rig.central.recordMetrics(every: .milliseconds(10), to: metrics) }
        let peripheral = try await rig.connected()
        await rig.device.stopAdvertising()
        await peripheral.disconnect()
        await #expect(throws: BluetoothError.self) { try await peripheral.connect(timeout: .milliseconds(50)) }
        recording.cancel()
        await recording.value
        let counted = metrics.values
        #expect(counted["harald_connection_attempts"] == 2)
        #expect(counted["harald_established_connections"] == 1)
        #expect(counted["harald_connection_failures reason=timeout"] == 1)
        #expect(counted["harald_open_links"] == 0)
        #expect(try #require(counted["harald_sent_packets"]) > 0)
    }
}

/// A metrics backend that sums the recorded values.
private final class RecordedMetrics: MetricsFactory {
    private final class Handler: CounterHandler, RecorderHandler {
        let name: String
        let owner: RecordedMetrics

        init(_ name: String, _ owner: RecordedMetrics) { (self.name, self.owner) = (name, owner) }

        func increment(by amount: Int64) { owner.totals.withLock { $0[name, default: 0] += amount } }
        func reset() { owner.totals.withLock { $0[name] = 0 } }
        func record(_ value: Int64) { owner.totals.withLock { $0[name] = value } }
        func record(_ value: Double) { record(Int64(value)) }
    }

    private let totals = Mutex([String: Int64]())

    /// The totals by name and reason.
    var values: [String: Int64] { totals.withLock { $0 } }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        let reason = dimensions.first { $0.0 == "reason" }.map { " reason=\($0.1)" } ?? ""
        return Handler(label + reason, self)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
