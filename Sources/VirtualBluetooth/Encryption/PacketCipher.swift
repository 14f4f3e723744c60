import BluetoothCipher

/// Encrypts or decrypts the packets of one direction of a link: AES-CCM with a message integrity check of four octets
/// (Core 6.0, Vol 6, Part E, 1 and 2).
///
/// The specification limits a packet to 251 octets. CCM with this nonce allows up to 65,535, which an air without
/// pacing carries in one packet.
package final class PacketCipher {
    private let cipher: AESCCM
    private let sender: LinkEnd.Role
    private let vector: UInt64
    /// The number of packets encrypted or decrypted so far. 39 bits suffice for two years of one packet every 150 µs.
    private(set) var counter: UInt64

    /// Creates a cipher. `counter` is the number of packets that the sender has encrypted before.
    package init(_ session: EncryptionSession, sender: LinkEnd.Role, counter: UInt64 = 0) {
        self.counter = counter
        cipher = AESCCM(session.key)
        vector = session.vector
        self.sender = sender
    }

    /// Encrypts the payload and appends the message integrity check; an empty payload stays empty.
    package func seal(_ pdu: inout LinkPDU) {
        guard !pdu.payload.isEmpty else { return }
        let nonce = nextNonce()
        let count = pdu.payload.count
        let check = pdu.payload.withUnsafeMutableBytes { bytes in
            let check = cipher.check(UnsafeRawBufferPointer(bytes), Self.associatedData(pdu.header), nonce)
            cipher.applyKeyStream(to: bytes, nonce)
            return check
        }
        pdu.payload.reserveCapacity(count + AESCCM.checkLength)
        for index in 0..<AESCCM.checkLength { pdu.payload.append(check[index]) }
    }

    /// Decrypts the payload and removes the message integrity check. Returns false if the check fails.
    package func open(_ pdu: inout LinkPDU) -> Bool {
        guard !pdu.payload.isEmpty else { return true }
        let count = pdu.payload.count - AESCCM.checkLength
        guard count > 0 else { return false }
        let nonce = nextNonce()
        let check = pdu.payload.withUnsafeMutableBytes { bytes in
            let text = UnsafeMutableRawBufferPointer(rebasing: bytes[..<count])
            cipher.applyKeyStream(to: text, nonce)
            return cipher.check(UnsafeRawBufferPointer(text), Self.associatedData(pdu.header), nonce)
        }
        let isValid = AESCCM.isEqual(pdu.payload[count...], check)
        pdu.payload.removeLast(AESCCM.checkLength)
        return isValid
    }

    // MARK: Blocks

    /// The nonce of the next packet: a 39-bit packet counter, the direction bit and the initialization vector, each
    /// with the least significant octet first.
    private func nextNonce() -> AESCCM.Nonce {
        var block = AESCCM.Block()
        let first = counter & 0x7F_FFFF_FFFF | (sender == .central ? 1 << 39 : 0)
        for index in 0..<5 { block[1 + index] = UInt8(truncatingIfNeeded: first >> (8 * UInt64(index))) }
        for index in 0..<8 { block[6 + index] = UInt8(truncatingIfNeeded: vector >> (8 * UInt64(index))) }
        counter += 1
        return AESCCM.Nonce(in: block)
    }

    /// The additional authenticated data is one octet: the header without NESN, SN and MD, which change when a packet
    /// is retransmitted.
    private static func associatedData(_ header: UInt8) -> AESCCM.Block {
        var block = AESCCM.Block()
        block[1] = 1
        block[2] = header & 0xE3
        return block
    }
}
