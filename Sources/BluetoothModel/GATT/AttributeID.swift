/// The identifier of an attribute of a connected device: its handle if the platform shows handles, otherwise a number
/// that the backend assigns.
public struct AttributeID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public var rawValue: UInt32

    /// Creates an identifier from its number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
