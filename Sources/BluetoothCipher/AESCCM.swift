/// AES-CCM with a message integrity check of four octets (RFC 3610).
package struct AESCCM: Sendable {
    package typealias Block = AESKey.Block

    /// The length of the message integrity check, in octets.
    package static let checkLength = 4

    /// A nonce of 12 or 13 octets.
    package struct Nonce: Sendable {
        /// The octets at their place in all blocks, after the first.
        fileprivate var block: Block
        /// The number of octets at the end of a block that count: L.
        fileprivate var countLength: UInt8

        /// Creates a nonce of 13 octets, which are in the block after the first.
        package init(in block: Block) {
            self.block = block
            countLength = 2
        }

        /// Creates a nonce; nil if there are not 12 or 13 octets.
        package init?(_ octets: some Collection<UInt8>) {
            guard octets.count == 12 || octets.count == 13 else { return nil }
            block = Block()
            for (index, octet) in octets.enumerated() { block[index + 1] = octet }
            countLength = UInt8(15 - octets.count)
        }
    }

    private let key: AESKey

    /// Creates a cipher.
    package init(_ key: AESKey) { self.key = key }

    /// Returns the encrypted text and the check.
    /// - Parameter associatedData: at most 14 octets, which are authenticated only.
    package func seal(_ text: [UInt8], nonce: Nonce, associatedData: [UInt8]) -> (text: [UInt8], check: [UInt8]) {
        var text = text
        let check = text.withUnsafeMutableBytes { bytes in
            let check = self.check(UnsafeRawBufferPointer(bytes), Self.block(associatedData), nonce)
            applyKeyStream(to: bytes, nonce)
            return check
        }
        return (text, (0..<Self.checkLength).map { check[$0] })
    }

    /// Returns the decrypted text; nil if the check fails.
    /// - Parameter associatedData: at most 14 octets.
    package func open(_ text: [UInt8], check sent: [UInt8], nonce: Nonce, associatedData: [UInt8]) -> [UInt8]? {
        guard sent.count == Self.checkLength else { return nil }
        var text = text
        let check = text.withUnsafeMutableBytes { bytes in
            applyKeyStream(to: bytes, nonce)
            return self.check(UnsafeRawBufferPointer(bytes), Self.block(associatedData), nonce)
        }
        return Self.isEqual(sent, check) ? text : nil
    }

    /// Compares a check in constant time.
    package static func isEqual(_ sent: some Sequence<UInt8>, _ check: Block) -> Bool {
        sent.enumerated().reduce(UInt8(0)) { $0 | ($1.element ^ check[$1.offset]) } == 0
    }

    /// Returns the first block of associated data: its length and its octets. All zeros mean that there is none.
    package static func block(_ associatedData: [UInt8]) -> Block {
        var block = Block()
        precondition(associatedData.count <= 14, "associated data has one block")
        block[1] = UInt8(associatedData.count)
        for (index, octet) in associatedData.enumerated() { block[index + 2] = octet }
        return block
    }

    // MARK: Blocks

    private static func frame(_ nonce: Nonce, flags: UInt8, number: Int) -> Block {
        var block = nonce.block
        block[0] = flags | nonce.countLength - 1
        block[14] = UInt8(truncatingIfNeeded: number >> 8)
        block[15] = UInt8(truncatingIfNeeded: number)
        return block
    }

    /// Returns the encrypted message integrity check of a clear text of up to 65,535 octets; its first four octets
    /// count.
    package func check(_ text: UnsafeRawBufferPointer, _ associatedData: Block, _ nonce: Nonce) -> Block {
        let isAlone = associatedData[1] == 0
        // The flags: associated data, and the length of the check.
        var sum = key.encrypt(Self.frame(nonce, flags: isAlone ? 0x08 : 0x48, number: text.count))
        if !isAlone { sum = key.encrypt(sum ^ associatedData) }
        for start in stride(from: 0, to: text.count, by: 16) {
            sum = key.encrypt(sum ^ Self.block(of: text, at: start))
        }
        return sum ^ key.encrypt(Self.frame(nonce, flags: 0, number: 0))
    }

    /// Encrypts a clear text, or decrypts an encrypted one.
    package func applyKeyStream(to text: UnsafeMutableRawBufferPointer, _ nonce: Nonce) {
        for start in stride(from: 0, to: text.count, by: 16) {
            let stream = key.encrypt(Self.frame(nonce, flags: 0, number: start / 16 + 1))
            if text.count - start >= 16 {
                let block = text.loadUnaligned(fromByteOffset: start, as: Block.self)
                text.storeBytes(of: block ^ stream, toByteOffset: start, as: Block.self)
            } else {
                for index in start..<text.count { text[index] ^= stream[index - start] }
            }
        }
    }

    /// Returns the next 16 octets, padded with zeros.
    private static func block(of text: UnsafeRawBufferPointer, at start: Int) -> Block {
        guard text.count - start < 16 else { return text.loadUnaligned(fromByteOffset: start, as: Block.self) }
        var block = Block()
        for index in start..<text.count { block[index - start] = text[index] }
        return block
    }
}
