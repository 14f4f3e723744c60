import Crypto
import CryptoExtras

/// A key for the block cipher under all that is secret on a link: the security function e (Core 6.0, Vol 3, Part H,
/// 2.2.1).
struct AESKey {
    /// 16 octets, in memory in the order of FIPS 197, the most significant one first.
    typealias Block = SIMD16<UInt8>

    private let key: SymmetricKey

    /// A key of 16 octets, the least significant one first, as HCI has it; of more octets the first 16 count, and
    /// missing ones are 0.
    init(littleEndian bytes: some Sequence<UInt8>) { self.init(Block(littleEndian: bytes)) }

    /// A key that is itself an encrypted block.
    init(_ block: Block) {
        key = withUnsafeBytes(of: block) { SymmetricKey(data: $0) }
    }

    /// The encrypted block.
    func encrypt(_ block: Block) -> Block {
        var result = block
        withUnsafeMutableBytes(of: &result) { bytes in
            var bytes = bytes
            do {
                try AES.permute(&bytes, key: key)
            } catch {
                // Only sizes can be wrong, and both types here have 16 bytes.
                preconditionFailure("AES refuses a block or a key of 16 bytes: \(error)")
            }
        }
        return result
    }
}

extension AESKey.Block {
    /// A block from up to 16 octets, the least significant one first; missing ones are 0.
    init(littleEndian bytes: some Sequence<UInt8>) {
        self.init()
        for (index, byte) in bytes.prefix(16).enumerated() { self[15 - index] = byte }
    }

    /// The octets, the least significant one first, as HCI has them.
    var littleEndian: [UInt8] { (0..<16).map { self[15 - $0] } }
}
