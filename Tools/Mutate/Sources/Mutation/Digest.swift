/// FNV-1a with 64 bits and a final mix: the same in every process, which Swift's own hashing is not.
struct Digest {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    init() {}

    init(_ text: String) { add(text) }

    mutating func add(_ text: String) {
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        state = (state ^ 0xff) &* 0x100_0000_01b3
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            state = (state ^ ((number >> UInt64(shift)) & 0xff)) &* 0x100_0000_01b3
        }
    }

    /// The final step of SplitMix64, because the high bits of FNV are poorly mixed.
    var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    var text: String { String(value, radix: 16) }
}
