/// Encrypts or decrypts the packets of one direction of a link: AES-CCM with a message integrity check of four octets
/// (Core 6.0, Vol 6, Part E, 1 and 2).
///
/// The specification limits a packet to 251 octets. CCM with this nonce allows up to 65,535, which an air without
/// pacing carries in one packet.
package final class PacketCipher {
    typealias Block = AESKey.Block

    /// The length of the message integrity check, in octets.
    static let checkLength = 4

    private let key: AESKey
    private let sender: LinkEnd.Role
    private let vector: UInt64
    /// The number of packets encrypted or decrypted so far. 39 bits suffice for two years of one packet every 150 µs.
    private(set) var counter: UInt64

    /// Creates a cipher. `counter` is the number of packets that the sender has encrypted before.
    package init(_ session: EncryptionSession, sender: LinkEnd.Role, counter: UInt64 = 0) {
        self.counter = counter
        key = session.key
        vector = session.vector
        self.sender = sender
    }

    /// Encrypts the payload and appends the message integrity check; an empty payload stays empty.
    package func seal(_ pdu: inout LinkPDU) {
        guard !pdu.payload.isEmpty else { return }
        let frame = nextFrame()
        let count = pdu.payload.count
        let check = pdu.payload.withUnsafeMutableBytes { bytes in
            let check = self.check(UnsafeRawBufferPointer(bytes), header: pdu.header, frame)
            applyKeyStream(to: bytes, frame)
            return check
        }
        pdu.payload.reserveCapacity(count + Self.checkLength)
        for index in 0..<Self.checkLength { pdu.payload.append(check[index]) }
    }

    /// Decrypts the payload and removes the message integrity check. Returns false if the check fails.
    package func open(_ pdu: inout LinkPDU) -> Bool {
        guard !pdu.payload.isEmpty else { return true }
        let count = pdu.payload.count - Self.checkLength
        guard count > 0 else { return false }
        let frame = nextFrame()
        let check = pdu.payload.withUnsafeMutableBytes { bytes in
            let text = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
            applyKeyStream(to: text, frame)
            return self.check(UnsafeRawBufferPointer(text), header: pdu.header, frame)
        }
        var difference: UInt8 = 0
        for index in 0..<Self.checkLength { difference |= pdu.payload[count + index] ^ check[index] }
        pdu.payload.removeLast(Self.checkLength)
        return difference == 0
    }

    // MARK: Blocks

    /// The part that all blocks share, with the nonce: a 39-bit packet counter, the direction bit and the
    /// initialization vector, each with the least significant octet first. The use determines the first octet and the
    /// last two.
    private func nextFrame() -> Block {
        var block = Block()
        let first = counter & 0x7F_FFFF_FFFF | (sender == .central ? 1 << 39 : 0)
        for index in 0..<5 { block[1 + index] = UInt8(truncatingIfNeeded: first >> (8 * UInt64(index))) }
        for index in 0..<8 { block[6 + index] = UInt8(truncatingIfNeeded: vector >> (8 * UInt64(index))) }
        counter += 1
        return block
    }

    private static func frame(_ frame: Block, flags: UInt8, number: Int) -> Block {
        var block = frame
        block[0] = flags
        block[14] = UInt8(truncatingIfNeeded: number >> 8)
        block[15] = UInt8(truncatingIfNeeded: number)
        return block
    }

    /// Returns the encrypted message integrity check of a clear text; its first four octets count.
    private func check(_ text: UnsafeRawBufferPointer, header: UInt8, _ frame: Block) -> Block {
        var sum = key.encrypt(Self.frame(frame, flags: 0x49, number: text.count))
        // The additional authenticated data is one octet: the header without NESN, SN and MD, which change when a
        // packet is retransmitted.
        sum[1] ^= 1
        sum[2] ^= header & 0xE3
        sum = key.encrypt(sum)
        for start in stride(from: 0, to: text.count, by: 16) {
            sum = key.encrypt(sum ^ Self.block(of: text, at: start))
        }
        return sum ^ key.encrypt(Self.frame(frame, flags: 1, number: 0))
    }

    private func applyKeyStream(to text: UnsafeMutableRawBufferPointer, _ frame: Block) {
        for start in stride(from: 0, to: text.count, by: 16) {
            let stream = key.encrypt(Self.frame(frame, flags: 1, number: start / 16 + 1))
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
