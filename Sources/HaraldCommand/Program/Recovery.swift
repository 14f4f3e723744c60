import BluetoothBackend
import Harald

/// Decides whether a command that runs without limit continues after an error of the adapter.
struct Recovery: Sendable {
    /// The greatest number of refusals in a minute after which a command continues.
    private static let mostRefusals = 10
    /// The time between a refusal and the next attempt.
    private static let pause = Duration.seconds(1)

    private var refusals: [ContinuousClock.Instant] = []
    /// Receives the reason of an interruption.
    private let report: @Sendable (String) -> Void

    init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    /// Waits until the adapter can be used again: after a restart of the controller, or a moment after the controller
    /// refused a command. `ready` waits until the adapter is powered on.
    /// - Throws: `error` if it does not pass, or the error of `ready`.
    mutating func wait(after error: any Error, until ready: () async throws -> Void) async throws {
        guard let problem = error as? BluetoothError else { throw error }
        switch problem.code {
        case .radio(.resetting): report("\(problem.reason); continuing afterwards")
        case .controller, .radio(.unknown):
            refusals.removeAll { ContinuousClock.now - $0 > .seconds(60) }
            guard refusals.count < Self.mostRefusals else { throw error }
            if refusals.isEmpty { report("\(problem.description); trying again") }
            refusals.append(.now)
            try await Task.sleep(for: Self.pause)
        default: throw error
        }
        try await ready()
    }
}

extension Central {
    /// Calls `body` for each advertisement that the filter shows, until the task is cancelled, also beyond a restart of
    /// the controller.
    /// - Throws: an error of the scan, after which it cannot be continued.
    func scanPersistently(
        _ filter: ScanFilter, request: ScanRequest = ScanRequest(allowsDuplicates: true),
        report: @escaping @Sendable (String) -> Void,
        isolation: isolated (any Actor)? = #isolation, _ body: (ScanResult) async -> Void
    ) async throws {
        var recovery = Recovery(report: report)
        while true {
            do {
                for try await found in scan(filter: filter, request) { await body(found) }
                return
            } catch {
                try await recovery.wait(after: error) { try await waitUntilPoweredOn() }
            }
        }
    }
}
