/// The random choices of a test of the security manager, reproducible from a seed.
final class Dice {
    private struct SeededNumbers: RandomNumberGenerator {
        private var state: UInt64

        init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state &* 0x2545_F491_4F6C_DD1D
        }
    }

    private var numbers: SeededNumbers

    init(_ seed: UInt64) { numbers = SeededNumbers(seed) }

    func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &numbers) == 0 }
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }
    func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) } }
}
