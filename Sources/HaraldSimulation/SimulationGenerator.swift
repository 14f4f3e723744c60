/// A random number generator that yields the same sequence for the same seed (SplitMix64).
struct SimulationGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Creates an independent generator for one purpose, so that consuming more numbers for it does not affect other
    /// purposes.
    init(seed: UInt64, for purpose: String) {
        state = seed
        for byte in purpose.utf8 { state = Self.mix(state &+ UInt64(byte) &+ 0x9E37_79B9_7F4A_7C15) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns a number in `0..<bound`; `bound` must be positive.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Returns true with the probability 1 / `count`.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    /// Returns a random element; `values` must not be empty.
    mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }
}
