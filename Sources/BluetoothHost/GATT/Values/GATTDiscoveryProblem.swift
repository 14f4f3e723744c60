/// A violation of the specification in a server's database, which a discovery skipped.
package struct GATTDiscoveryProblem: Hashable, Sendable {
    /// The kind of attribute that was skipped.
    package enum Kind: UInt8, Sendable {
        /// A service declaration.
        case service = 1
        /// An include declaration.
        case includedService
        /// A characteristic declaration.
        case characteristic
        /// A descriptor.
        case descriptor
    }

    /// The violated rule.
    package enum Reason: UInt8, Sendable {
        /// The service ends before it begins, or begins at handle 0 (Core 6.0, Vol 3, Part F, 3.2.2 and 3.4.4.10).
        case emptyRange = 1
        /// The service begins inside the previous one (Core 6.0, Vol 3, Part G, 3.1).
        case overlappingServices
        /// The handle does not follow the previous one, or is outside the requested range (Core 6.0, Vol 3, Part F,
        /// 3.4.3 and 3.4.4).
        case unexpectedHandle
        /// The value handle is not between the declaration and the next declaration or the end of the service (Core
        /// 6.0, Vol 3, Part G, 3.3.2).
        case valueOutsideService
        /// The UUID of the included service cannot be read (Core 6.0, Vol 3, Part G, 4.5.1).
        case unreadableUUID
        /// A service or characteristic declaration was found among descriptors (Core 6.0, Vol 3, Part G, 3.3).
        case declarationAmongDescriptors
        /// The response is malformed or does not advance. The discovery ended there.
        case malformedResponse
    }

    /// The kind of attribute.
    package var kind: Kind
    /// The reported handle; for a malformed response, the first requested handle.
    package var handle: UInt16
    /// The violated rule.
    package var reason: Reason

    /// Creates a problem.
    package init(_ kind: Kind, at handle: UInt16, _ reason: Reason) {
        self.kind = kind
        self.handle = handle
        self.reason = reason
    }
}

extension GATTDiscoveryProblem.Reason: CustomStringConvertible {
    /// A short description of the violation.
    package var description: String {
        switch self {
        case .emptyRange: "it ends before it begins"
        case .overlappingServices: "it begins inside the previous service"
        case .unexpectedHandle: "its handle is out of order or outside the requested range"
        case .valueOutsideService: "its value handle is outside the characteristic or its service"
        case .unreadableUUID: "the UUID of the included service cannot be read"
        case .declarationAmongDescriptors: "it is a declaration among descriptors"
        case .malformedResponse: "the response is malformed or does not advance; what follows is unknown"
        }
    }
}
