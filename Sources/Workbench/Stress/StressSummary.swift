import Explorer
import Harald

/// The result of a stress test.
package struct StressSummary: Sendable {
    private let state: StressMeter.State
    private let seconds: Double
    private let device: String
    private let id: String
    private let name: String?
    /// The omitted parts of the test, with the reasons.
    package let omissions: [String]

    init(_ meter: StressMeter, of peripheral: Peripheral, omissions: [String]) {
        (state, seconds) = (meter.current, meter.elapsed)
        (device, id, name) = ("\(peripheral)", "\(peripheral.id)", peripheral.name)
        self.omissions = omissions
    }

    package var failureCount: Int { state.failures.reduce(0) { $0 + $1.count } }
    /// True if the test ended because the device could no longer be connected.
    package var isAway: Bool { state.isAway }
    /// The error of the adapter that ended the test; nil if the adapter was available.
    package var adapterProblem: BluetoothError? { state.adapterProblem }

    /// The statistics of an operation, in milliseconds.
    private struct Statistics {
        var median: Double
        var ninetyFifth: Double
        var greatest: Double
        /// The change of the median from the first quarter of the test to the last one, in percent; nil if there are
        /// too few samples.
        var drift: Double?

        init?(_ series: StressMeter.Series) {
            guard !series.samples.isEmpty else { return nil }
            let sorted = series.samples.map(\.milliseconds).sorted()
            func part(_ share: Double) -> Double { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
            (median, ninetyFifth, greatest) = (part(0.5), part(0.95), sorted[sorted.count - 1])
            let ordered = series.samples.sorted { $0.time < $1.time }
            let quarter = ordered.count / 4
            guard quarter >= 4 else { return }
            func middle(_ samples: ArraySlice<(time: Double, milliseconds: Double)>) -> Double {
                samples.map(\.milliseconds).sorted()[samples.count / 2]
            }
            let first = middle(ordered.prefix(quarter))
            if first > 0 { drift = (middle(ordered.suffix(quarter)) / first - 1) * 100 }
        }
    }

    private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

    private func rate(_ kind: String) -> Double? {
        guard let (octets, seconds) = state.octets[kind], seconds > 0 else { return nil }
        return (Double(octets) / seconds).rounded()
    }

    /// The summary as a JSON object.
    package var json: JSONValue {
        var operations: [String: JSONValue] = [:]
        for (operation, series) in state.series {
            let statistics = Statistics(series)
            func number(_ value: Double?) -> JSONValue { value.map { .number(Self.rounded($0)) } ?? .null }
            operations[operation.rawValue] = [
                "count": .int(series.count), "failures": .int(series.failures), "median": number(statistics?.median),
                "p95": number(statistics?.ninetyFifth), "max": number(statistics?.greatest),
                "drift": number(statistics?.drift),
            ]
        }
        return [
            "id": .string(id), "name": .optional(name), "seconds": .number(Self.rounded(seconds)),
            "links": .int(state.links), "losses": .int(state.losses), "away": .bool(state.isAway),
            "operations": .object(operations),
            "throughput": .object(
                Dictionary(
                    uniqueKeysWithValues: ["read", "notified", "written"].map { kind in
                        (kind, rate(kind).map { .number($0) } ?? .null)
                    })),
            "values": .int(state.values), "dropped": .int(state.dropped),
            "failures": .array(
                state.failures.map {
                    [
                        "operation": .string($0.operation), "kind": .string($0.kind), "count": .int($0.count),
                        "first": .number(Self.rounded($0.first)), "message": .string($0.message),
                    ]
                }), "notRun": .array(omissions.map { .string($0) }),
        ]
    }

    /// The summary as text.
    package var lines: [String] {
        var lines = [
            "\(device): \(Self.fixed(seconds, 1)) s, \(state.links.counted("link")), \(state.losses) lost",
            "milliseconds  COUNT FAILED   MEDIAN     95 %      MAX  DRIFT",
        ]
        for operation in StressMeter.Operation.allCases {
            guard let series = state.series[operation] else { continue }
            var line = Self.left(operation.rawValue, 11) + Self.right("\(series.count)", 8)
            line += Self.right("\(series.failures)", 7)
            if let statistics = Statistics(series) {
                for value in [statistics.median, statistics.ninetyFifth, statistics.greatest] {
                    line += Self.right(Self.fixed(value, 2), 9)
                }
                if let drift = statistics.drift {
                    line += Self.right((drift >= 0 ? "+" : "") + Self.fixed(drift, 0) + "%", 7)
                }
            }
            lines.append(line)
        }
        let rates = ["read", "notified", "written"].compactMap { kind in
            rate(kind).map { "\(kind) \(Self.fixed($0 / 1000, 2)) kB/s" }
        }
        if !rates.isEmpty { lines.append("throughput: " + rates.joined(separator: ", ")) }
        lines += omissions.map { "not run: \($0)" }
        for failure in state.failures {
            lines.append(
                "!! \(failure.operation): \(failure.kind), \(failure.count.counted("time")), "
                    + "first at \(Self.fixed(failure.first, 1)) s: \(failure.message)")
        }
        return lines
    }

    private static func fixed(_ number: Double, _ digits: Int) -> String {
        let factor = digits == 0 ? 1 : digits == 1 ? 10.0 : 100.0
        let rounded = (abs(number) * factor).rounded()
        guard rounded < 1e15 else { return "\(number)" }
        let (whole, part) = Int64(rounded).quotientAndRemainder(dividingBy: Int64(factor))
        let sign = number < 0 && rounded > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - "\(part)".count) + "\(part)"
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
