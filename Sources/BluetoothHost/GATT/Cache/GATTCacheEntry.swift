/// What is known of one peer's attributes; parts that nobody has discovered yet are missing.
public struct GATTCacheEntry: Hashable, Sendable {
    /// The Database Hash that the peer had, 16 octets as they were read; nil where it has none.
    public var hash: [UInt8]?
    /// All primary services; nil when they were never discovered as a whole.
    public var services: [GATTService]?
    /// All secondary services; nil when they were never discovered as a whole.
    public var secondaryServices: [GATTService]?
    /// All included services, by the handle of the including one.
    public var includedServices: [UInt16: [GATTIncludedService]]
    /// All characteristics, by the handle of their service.
    public var characteristics: [UInt16: [GATTCharacteristic]]
    /// All descriptors, by the handle of their characteristic's value.
    public var descriptors: [UInt16: [GATTDescriptor]]
    /// What the discoveries skipped, the first ``maximumProblems`` of it.
    public private(set) var problems: [GATTDiscoveryProblem] = []
    /// How much the discoveries skipped.
    public private(set) var problemCount = 0

    /// How many problems are kept one by one.
    public static let maximumProblems = 64

    /// Knows nothing but, perhaps, the hash.
    public init(hash: [UInt8]? = nil) {
        self.hash = hash
        services = nil
        includedServices = [:]
        characteristics = [:]
        descriptors = [:]
    }

    /// Whether the peer promises to tell when its attributes change.
    public var hasServiceChanged: Bool {
        characteristics.values.contains { $0.contains { $0.uuid == GATTType.serviceChanged } }
    }

    /// Adds what a discovery skipped; the same part is counted once.
    mutating func add(_ found: [GATTDiscoveryProblem]) {
        for problem in found where !problems.contains(problem) {
            problemCount += 1
            if problems.count < Self.maximumProblems { problems.append(problem) }
        }
    }

    /// Takes what was kept of the problems.
    mutating func setProblems(_ kept: [GATTDiscoveryProblem], count: Int) {
        problems = Array(kept.prefix(Self.maximumProblems))
        problemCount = max(count, problems.count)
    }

    /// Whether there is anything in it.
    public var isEmpty: Bool {
        services == nil && secondaryServices == nil && problemCount == 0 && includedServices.isEmpty
            && characteristics.isEmpty && descriptors.isEmpty
    }
}
