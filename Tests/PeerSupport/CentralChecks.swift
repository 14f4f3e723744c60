#if os(Linux)
/// The results of Bumble's central for a peripheral.
package struct CentralChecks: Sendable {
    /// One check of `Tests/Peers/central.py`.
    package struct Verdict: Sendable, CustomStringConvertible {
        /// The name of the check.
        package let check: String
        /// True if the check passed.
        package let passed: Bool
        /// The measurement, or the failure.
        package let detail: String

        /// The verdict in words.
        package var description: String { "\(check): \(passed ? "passed" : "failed") \(detail)" }
    }

    /// The verdicts in the order of the checks.
    package let verdicts: [Verdict]
    /// The names of the checks that failed.
    package let failed: [String]

    /// Runs Bumble's central on a controller, for instance `tcp-client:127.0.0.1:PORT`, until all its checks are done.
    ///
    /// - Parameters:
    ///   - arguments: names of checks and options of `central.py`, for instance `--all --without phy`.
    ///   - onCheck: is called with each verdict as it arrives.
    package static func run(
        on controller: String, _ arguments: [String], timeout: Duration = .seconds(120),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> CentralChecks {
        try await Peers.with(.central, [controller] + arguments) { central, _ in
            let end = try await central.event("end", timeout: timeout)
            var verdicts: [Verdict] = []
            for await line in central.lines {
                if line.event == "check" {
                    verdicts.append(
                        Verdict(
                            check: line["check"]?.text ?? "", passed: line["ok"]?.bool ?? false,
                            detail: line["detail"]?.text ?? line["detail"]?.number.map { "\($0)" } ?? ""))
                } else if line.event == "end" {
                    break
                }
            }
            return CentralChecks(verdicts: verdicts, failed: end["failed"]?.list?.compactMap(\.text) ?? [])
        }
    }
}
#endif
