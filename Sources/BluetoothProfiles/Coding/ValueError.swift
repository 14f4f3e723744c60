/// Why bytes are no value of a type, or a value has no bytes.
public struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, as the specification calls it.
    public var field: String
    /// What is wrong with it.
    public var reason: String

    /// An error.
    public init(field: String, reason: String) {
        self.field = field
        self.reason = reason
    }

    /// "systolic: 2 bytes needed, 1 left"
    public var description: String { "\(field): \(reason)" }
}
