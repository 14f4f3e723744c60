/// Random numbers that are the same in every run with the same seed (SplitMix64).
struct SimulationGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator of its own for one purpose, so that more numbers for one purpose leave those for others as they are.
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

    /// A number from 0 up to, and without, `bound`, which is above 0.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    /// One of them, which are some.
    mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }
}
