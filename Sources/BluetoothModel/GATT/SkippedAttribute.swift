/// An attribute of a connected device that violates the specification, and that a discovery skipped.
public struct SkippedAttribute: Hashable, Sendable {
    /// The kind of attribute.
    public enum Kind: String, Hashable, Sendable {
        /// A service.
        case service
        /// An included service.
        case includedService
        /// A characteristic.
        case characteristic
        /// A descriptor.
        case descriptor
    }

    /// The kind of attribute.
    public var kind: Kind
    /// The handle of its declaration, as the device reported it; the first requested handle where the response could
    /// not be decoded.
    public var attribute: AttributeID
    /// The rule that the device violates, as text.
    public var reason: String

    /// Creates a skipped attribute.
    public init(kind: Kind, attribute: AttributeID, reason: String) {
        self.kind = kind
        self.attribute = attribute
        self.reason = reason
    }
}

/// The attributes that discovery on a link skipped.
package struct SkippedAttributes: Hashable, Sendable {
    /// The first 64 of them, in the order of discovery.
    package var first: [SkippedAttribute]
    /// The number of skipped attributes.
    package var count: Int

    /// Creates a list of skipped attributes.
    package init(first: [SkippedAttribute] = [], count: Int = 0) {
        self.first = first
        self.count = count
    }
}
