/// The known attributes of one peer; parts that were not discovered yet are missing.
package struct GATTCacheEntry: Hashable, Sendable {
    /// The Database Hash of the peer, 16 octets in the order in which they were read; nil if the server has none.
    package var hash: [UInt8]?
    /// All primary services; nil if not completely discovered yet.
    package var services: [GATTService]?
    /// All secondary services; nil if not completely discovered yet.
    package var secondaryServices: [GATTService]?
    /// All included services, by the handle of the including service.
    package var includedServices: [UInt16: [GATTIncludedService]]
    /// All characteristics, by the handle of their service.
    package var characteristics: [UInt16: [GATTCharacteristic]]
    /// All descriptors, by the value handle of their characteristic.
    package var descriptors: [UInt16: [GATTDescriptor]]
    /// The problems that discoveries skipped, at most ``maximumProblems``.
    package private(set) var problems: [GATTDiscoveryProblem] = []
    /// The total number of problems that discoveries skipped.
    package private(set) var problemCount = 0

    /// The maximum number of problems that are stored individually.
    package static let maximumProblems = 64

    /// Creates an entry without attributes.
    package init(hash: [UInt8]? = nil) {
        self.hash = hash
        services = nil
        includedServices = [:]
        characteristics = [:]
        descriptors = [:]
    }

    /// True if the peer has Service Changed, by which it reports changes of its attributes.
    package var hasServiceChanged: Bool {
        characteristics.values.contains { $0.contains { $0.uuid == GATTType.serviceChanged } }
    }

    /// Adds problems that a discovery skipped; problems that are stored already are not counted again.
    mutating func add(_ found: [GATTDiscoveryProblem]) {
        for problem in found where !problems.contains(problem) {
            problemCount += 1
            if problems.count < Self.maximumProblems { problems.append(problem) }
        }
    }

    /// Sets the problems of a decoded entry.
    mutating func setProblems(_ kept: [GATTDiscoveryProblem], count: Int) {
        problems = Array(kept.prefix(Self.maximumProblems))
        problemCount = max(count, problems.count)
    }

    /// True if nothing but the hash is known.
    package var isEmpty: Bool {
        services == nil && secondaryServices == nil && problemCount == 0 && includedServices.isEmpty
            && characteristics.isEmpty && descriptors.isEmpty
    }
}
