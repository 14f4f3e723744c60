import Crypto
import CryptoExtras

/// An AES-128 key for the security function e (Core 6.0, Vol 3, Part H, 2.2.1), on which all encryption of a link is
/// based.
package struct AESKey: Sendable {
    /// 16 octets in the byte order of FIPS 197, most significant octet first.
    package typealias Block = SIMD16<UInt8>

    private let key: SymmetricKey

    /// Creates a key from 16 octets, least significant first, as in HCI. Octets beyond 16 are ignored and missing ones
    /// are 0.
    package init(littleEndian bytes: some Sequence<UInt8>) { self.init(Block(littleEndian: bytes)) }

    /// Creates a key from a block, such as a session key.
    package init(_ block: Block) {
        key = withUnsafeBytes(of: block) { SymmetricKey(data: $0) }
    }

    /// Returns the encrypted block.
    package func encrypt(_ block: Block) -> Block {
        var result = block
        withUnsafeMutableBytes(of: &result) { bytes in
            var bytes = bytes
            do {
                try AES.permute(&bytes, key: key)
            } catch {
                // Proof: `permute` fails only for wrong sizes. Key and block are both of the type `Block`, which has 16
                // bytes, a valid size for either.
                preconditionFailure("AES failed with a key and a block of 16 bytes: \(error)")
            }
        }
        return result
    }
}

extension AESKey.Block {
    /// Creates a block from up to 16 octets, least significant first; missing ones are 0.
    package init(littleEndian bytes: some Sequence<UInt8>) {
        self.init()
        for (index, byte) in bytes.prefix(16).enumerated() { self[15 - index] = byte }
    }

    /// The octets, least significant first, as in HCI.
    package var littleEndian: [UInt8] { (0..<16).map { self[15 - $0] } }
}
