import BluetoothModel

/// An attribute of a connected device that breaks the specification, and that a discovery skipped.
public struct SkippedAttribute: Hashable, Sendable {
    /// The kind of attribute.
    public enum Kind: String, Hashable, Sendable {
        /// A service.
        case service
        /// A service that another one includes.
        case includedService
        /// A characteristic.
        case characteristic
        /// A descriptor.
        case descriptor
    }

    /// The kind of attribute.
    public var kind: Kind
    /// The handle of its declaration, as the device told it; the first handle that was asked for where the answer could
    /// not be taken apart.
    public var attribute: AttributeID
    /// The rule that the device breaks, for a person to read.
    public var reason: String

    /// An attribute that was skipped.
    public init(kind: Kind, attribute: AttributeID, reason: String) {
        self.kind = kind
        self.attribute = attribute
        self.reason = reason
    }
}

/// What the discoveries on a link skipped.
public struct SkippedAttributes: Hashable, Sendable {
    /// The first 64 of them, in the order in which they were met.
    public var first: [SkippedAttribute]
    /// How many there are.
    public var count: Int

    /// Attributes that were skipped.
    public init(first: [SkippedAttribute] = [], count: Int = 0) {
        self.first = first
        self.count = count
    }
}
