/// A part of a server's database that breaks the specification, and that a discovery skipped.
public struct GATTDiscoveryProblem: Hashable, Sendable {
    /// The kind of attribute that was skipped.
    public enum Kind: UInt8, Sendable {
        /// A service declaration.
        case service = 1
        /// An include declaration.
        case includedService
        /// A characteristic declaration.
        case characteristic
        /// A descriptor.
        case descriptor
    }

    /// The rule that the server breaks.
    public enum Reason: UInt8, Sendable {
        /// The service ends before it begins, or begins at handle 0 (Core 6.0, Vol 3, Part F, 3.2.2 and 3.4.4.10).
        case emptyRange = 1
        /// The service begins inside the one before it (Core 6.0, Vol 3, Part G, 3.1).
        case overlappingServices
        /// The handle does not follow the one before it, or is not in the range that was asked for
        /// (Core 6.0, Vol 3, Part F, 3.4.3 and 3.4.4).
        case unexpectedHandle
        /// The value of the characteristic is not between its declaration and what follows in its service
        /// (Core 6.0, Vol 3, Part G, 3.3.2).
        case valueOutsideService
        /// The UUID of the included service cannot be read (Core 6.0, Vol 3, Part G, 4.5.1).
        case unreadableUUID
        /// The declaration of a service or a characteristic stands among descriptors (Core 6.0, Vol 3, Part G, 3.3).
        case declarationAmongDescriptors
        /// The response cannot be taken apart, or repeats what was told before; the discovery ended there.
        case malformedResponse
    }

    /// The kind of attribute.
    public var kind: Kind
    /// The handle that the server told; for a malformed response, the first that was asked for.
    public var handle: UInt16
    /// The rule.
    public var reason: Reason

    /// A problem.
    public init(_ kind: Kind, at handle: UInt16, _ reason: Reason) {
        self.kind = kind
        self.handle = handle
        self.reason = reason
    }
}

extension GATTDiscoveryProblem.Reason: CustomStringConvertible {
    /// What is wrong, in a few words.
    public var description: String {
        switch self {
        case .emptyRange: "it ends before it begins"
        case .overlappingServices: "it begins inside the service before it"
        case .unexpectedHandle: "its handle is out of order or outside of what was asked for"
        case .valueOutsideService: "the handle of its value is outside of it or of its service"
        case .unreadableUUID: "the UUID of the included service cannot be read"
        case .declarationAmongDescriptors: "it is a declaration among descriptors"
        case .malformedResponse: "the response is malformed or does not advance; what follows is unknown"
        }
    }
}
