/// Encryption of one block with AES and a key of 128 bits (FIPS 197), for the command LE Encrypt.
///
/// It is neither fast nor safe against someone who measures its time; nothing secret crosses a virtual air.
enum AES128 {
    private static let substitution: [UInt8] = makeSubstitution()

    /// The encrypted block; key, block and result have 16 bytes, most significant first. Nil where the sizes are wrong.
    static func encrypt(key: [UInt8], block: [UInt8]) -> [UInt8]? {
        guard key.count == 16, block.count == 16 else { return nil }
        let keys = expand(key)
        var state = block
        add(keys[0..<16], to: &state)
        for round in 1...10 {
            for index in 0..<16 { state[index] = substitution[Int(state[index])] }
            let shifted = state
            for index in 0..<16 { state[index] = shifted[(index + 4 * (index % 4)) % 16] }
            if round < 10 { mixColumns(&state) }
            add(keys[16 * round..<16 * round + 16], to: &state)
        }
        return state
    }

    private static func add(_ key: ArraySlice<UInt8>, to state: inout [UInt8]) {
        for (index, byte) in key.enumerated() { state[index] ^= byte }
    }

    private static func mixColumns(_ state: inout [UInt8]) {
        for column in stride(from: 0, to: 16, by: 4) {
            let old = Array(state[column..<column + 4])
            let sum = old[0] ^ old[1] ^ old[2] ^ old[3]
            for row in 0..<4 { state[column + row] = old[row] ^ sum ^ double(old[row] ^ old[(row + 1) % 4]) }
        }
    }

    private static func expand(_ key: [UInt8]) -> [UInt8] {
        var keys = key
        var constant: UInt8 = 1
        while keys.count < 176 {
            var word = Array(keys.suffix(4))
            if keys.count % 16 == 0 {
                word = [word[1], word[2], word[3], word[0]].map { substitution[Int($0)] }
                word[0] ^= constant
                constant = double(constant)
            }
            for index in 0..<4 { keys.append(keys[keys.count - 16] ^ word[index]) }
        }
        return keys
    }

    private static func double(_ value: UInt8) -> UInt8 { value << 1 ^ (value & 0x80 == 0 ? 0 : 0x1B) }

    private static func makeSubstitution() -> [UInt8] {
        var table = [UInt8](repeating: 0x63, count: 256)
        // `power` walks through all but 0 as powers of 3, `inverse` through their inverses.
        var (power, inverse): (UInt8, UInt8) = (1, 1)
        repeat {
            power ^= double(power)
            inverse ^= inverse << 1
            inverse ^= inverse << 2
            inverse ^= inverse << 4
            if inverse & 0x80 != 0 { inverse ^= 0x09 }
            let rotated = (1...4).reduce(inverse) { $0 ^ (inverse << $1 | inverse >> (8 - $1)) }
            table[Int(power)] = rotated ^ 0x63
        } while power != 1
        return table
    }
}
