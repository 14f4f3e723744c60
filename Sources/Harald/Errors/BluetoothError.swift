import BluetoothModel
import Foundation

/// An error of Harald: the operation, the object, the reason, and advice.
public struct BluetoothError: Error, Hashable, Sendable {
    /// The kind of failure.
    public var code: Code
    /// The operation and its object: "connect to 'Polar H7' (E6:01:02:03:04:05)".
    public var operation: String
    /// The reason of the failure, as precisely as it is known.
    public var reason: String
    /// Advice for the user; empty if there is none.
    public var advice: String
    /// The kind of the underlying security problem; nil if there is none. The command-line program has its own advice
    /// for each.
    package var securityProblem: SecurityProblem.Kind?

    /// Creates an error.
    public init(_ code: Code, operation: String, reason: String, advice: String = "") {
        self.code = code
        self.operation = operation
        self.reason = reason
        self.advice = advice
    }

    /// The error of a cancelled operation.
    public static let cancelled = BluetoothError(.cancelled, operation: "", reason: "cancelled")

    /// Matches errors with the same code, so that `catch BluetoothError.cancelled` works.
    public static func ~= (pattern: BluetoothError, error: any Error) -> Bool {
        (error as? BluetoothError)?.code == pattern.code
    }

    /// Matches errors by their code: `catch BluetoothError.Code.timeout`.
    public static func ~= (pattern: Code, error: BluetoothError) -> Bool { error.code == pattern }
}

extension BluetoothError: CustomStringConvertible, LocalizedError {
    /// Operation, reason and advice in one line.
    public var description: String {
        var text = operation.isEmpty ? reason : "\(operation): \(reason)"
        if !advice.isEmpty { text += "; \(advice)" }
        return text
    }

    /// The same line, for `localizedDescription`.
    public var errorDescription: String? { description }
}
