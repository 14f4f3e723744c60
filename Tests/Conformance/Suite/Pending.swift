import BluetoothModel

/// A started operation and its completions; an operation must have exactly one.
package final class Pending<Value: Sendable>: Sendable {
    package let label: String
    package let results = Events<Result<Value, RadioError>>()
    private let journal: Events<String>

    init(_ label: String, journal: Events<String>) {
        self.label = label
        self.journal = journal
    }

    func complete(_ result: Result<Value, RadioError>) {
        // The journal must contain the label before a waiting scenario resumes.
        journal.append(label)
        results.append(result)
    }

    /// True until the first completion.
    package var isOpen: Bool { results.all.isEmpty }

    /// Waits for the result.
    package func result() async throws -> Result<Value, RadioError> {
        let all = try await results.wait(for: "completion of '\(label)'", count: 1)
        return all[0]
    }

    /// Waits for success.
    /// - Throws: ``ScenarioFailure`` for an error.
    @discardableResult
    package func value() async throws -> Value {
        switch try await result() {
        case .success(let value): return value
        case .failure(let error): throw ScenarioFailure("'\(label)' failed: \(error)")
        }
    }

    /// Waits for an error.
    /// - Throws: ``ScenarioFailure`` for success.
    @discardableResult
    package func error() async throws -> RadioError {
        switch try await result() {
        case .success(let value): throw ScenarioFailure("'\(label)' succeeded with \(value), expected an error")
        case .failure(let error): return error
        }
    }

    /// Waits for this error.
    package func fails(with expected: RadioError) async throws {
        try require(try await error(), is: expected, "error of '\(label)'")
    }

    /// Waits for the error of an adapter that is in `state`.
    package func fails(with expected: RadioState) async throws {
        let error = try await error()
        guard case .radio(expected, _) = error else {
            throw ScenarioFailure("error of '\(label)': \(error), expected that the adapter is \(expected)")
        }
    }

    /// Waits for an error of security.
    package func failsForSecurity() async throws {
        let error = try await error()
        guard case .security = error else {
            throw ScenarioFailure("error of '\(label)': \(error), expected one of security")
        }
    }
}
