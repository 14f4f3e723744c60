/// The order in which the faults of a seed are drawn.
package enum Draw {
    /// Returns all faults, in the order of `seed`. The rank of a fault depends only on the fault and the seed, so that
    /// a change elsewhere in the sources draws the same faults again. Of two faults with the same number the second is
    /// left out.
    package static func order(_ faults: [Fault], seed: UInt64) -> [Fault] {
        var numbers: Set<Int> = []
        return faults.map { fault -> (rank: UInt64, fault: Fault) in
            var digest = Digest(fault.identity)
            digest.add(seed)
            return (digest.value, fault)
        }
        .sorted { ($0.rank, $0.fault.identity) < ($1.rank, $1.fault.identity) }
        .map(\.fault)
        .filter { numbers.insert($0.number).inserted }
    }
}
