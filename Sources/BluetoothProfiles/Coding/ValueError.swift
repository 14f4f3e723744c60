/// The error of bytes that cannot be decoded, or of a value that cannot be encoded.
public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the field in the specification.
    public var field: String
    /// The cause.
    public var reason: String

    /// Creates an error.
    public init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }

    /// Field and cause: "systolic: 2 bytes needed, 1 left".
    public var description: String { "\(field): \(reason)" }
}
