@_exported import BluetoothModel
import Foundation

/// Why an operation of Harald ended without its result: what was being done, to what, and what to do about it.
public struct BluetoothError: Error, Hashable, Sendable {
    /// What went wrong.
    public enum Code: Hashable, Sendable {
        /// The caller's task was cancelled, or the caller ended the operation.
        case cancelled
        /// No answer in the time allowed.
        case timeout
        /// The link ended; the status says how.
        case disconnected(HCIStatus)
        /// There is no link to the device.
        case notConnected
        /// The adapter is not ready.
        case radio(RadioState)
        /// The device answered with an error.
        case att(ATTErrorCode)
        /// The adapter refused.
        case controller(HCIStatus)
        /// The device has no such service, characteristic or descriptor, or no longer.
        case notFound
        /// The device, the adapter or the backend cannot do this.
        case unsupported
        /// An argument is wrong.
        case invalidArgument
        /// The device broke the protocol.
        case invalidResponse
        /// A stated bound is reached.
        case limitReached
        /// The device refused an L2CAP channel, with the result code of its response.
        case channelRefused(UInt16)
        /// The user here refused to pair.
        case pairingRefused
        /// Pairing began and failed; the reason says how.
        case pairingFailed
        /// The numbers that the users of both devices have are not the same.
        case wrongPasskey
        /// The device does not know the keys of an earlier pairing any more, or is another one.
        case bondLost
        /// Pairing is needed and did not happen, or what both sides can do is not enough.
        case security
    }

    /// What went wrong.
    public var code: Code
    /// What was being done, and to what: "connect to 'Polar H7' (E6:01:02:03:04:05)".
    public var operation: String
    /// What happened, as precisely as is known.
    public var reason: String
    /// What the user can do about it; empty where there is nothing to say.
    public var advice: String
    /// The kind of the security problem behind it; nil where there is none. The program has advice of its own for each.
    package var securityProblem: SecurityProblem.Kind?

    /// An error.
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

extension BluetoothError.Code {
    /// Matches errors by their code: `catch BluetoothError.Code.timeout`.
    public static func ~= (pattern: BluetoothError.Code, error: any Error) -> Bool {
        (error as? BluetoothError)?.code == pattern
    }
}

extension BluetoothError: CustomStringConvertible, LocalizedError {
    /// Operation, reason and advice in one line.
    public var description: String {
        var text = operation.isEmpty ? reason : "\(operation): \(reason)"
        if !advice.isEmpty { text += "; \(advice)" }
        return text
    }

    /// The same line, for those who ask for `localizedDescription`.
    public var errorDescription: String? { description }
}
