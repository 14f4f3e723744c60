import BluetoothModel
import CryptoExtras

/// The cryptographic functions of the security manager (Core 6.0, Vol 3, Part H, 2.2).
///
/// Every value is most significant octet first, as in the definitions of the specification. Packets and HCI commands
/// contain the same values least significant octet first; the order is reversed only where packets are parsed and
/// encoded.
enum SecurityToolbox {
    /// The security function e: AES-128 of one block (2.2.1).
    static func encrypt(_ key: [UInt8], _ block: [UInt8]) -> [UInt8] {
        var block = block
        do {
            try AES.permute(&block, key: SymmetricKey(data: key))
        } catch {
            // Proof: `AES.permute` throws only for keys and blocks that do not have 16 octets; all callers pass 16.
            preconditionFailure("an AES-128 key and block must have 16 octets")
        }
        return block
    }

    /// AES-CMAC with a 128-bit key (2.2.5).
    static func cmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        guard key.count == 16, var code = try? AES.CMAC(key: SymmetricKey(data: key)) else {
            // Proof: all keys are generated here with 16 octets, or parsed from packets with a checked length.
            preconditionFailure("an AES-CMAC key must have 16 octets")
        }
        message.withUnsafeBytes { code.update(bufferPointer: $0) }
        return code.finalize().withUnsafeBytes { [UInt8]($0) }
    }

    /// The random address hash function: 24 bits that only the owner of the key can compute from the random part
    /// (2.2.2).
    static func ah(_ key: SecurityKey, _ random: UInt32) -> UInt32 {
        let part = [UInt8](repeating: 0, count: 13) + octets(random).suffix(3)
        return encrypt(key.octets, part).suffix(3).reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Legacy pairing

    /// The confirm value of legacy pairing (2.2.3). The request and the response are the 7 octets of the packets,
    /// including the opcode; the addresses are those with which the link was established.
    static func c1(
        _ key: [UInt8], _ random: [UInt8], request: [UInt8], response: [UInt8], central: BluetoothAddress,
        peripheral: BluetoothAddress
    ) -> [UInt8] {
        let first = response + request + [peripheral.kind.rawValue, central.kind.rawValue]
        let second = [0, 0, 0, 0] + central.octets + peripheral.octets
        return encrypt(key, xor(encrypt(key, xor(random, first)), second))
    }

    /// The short-term key of legacy pairing (2.2.4), from the random values of the peripheral and the central.
    static func s1(_ key: [UInt8], _ peripheral: [UInt8], _ central: [UInt8]) -> [UInt8] {
        encrypt(key, Array(peripheral.suffix(8) + central.suffix(8)))
    }

    // MARK: LE Secure Connections

    /// The confirm value (2.2.6) over the x coordinates of two public keys.
    static func f4(_ u: [UInt8], _ v: [UInt8], _ x: [UInt8], _ z: UInt8) -> [UInt8] { cmac(x, u + v + [z]) }

    /// The MAC key and the long-term key (2.2.7); the addresses have 7 octets, beginning with their type.
    static func f5(
        _ secret: [UInt8], _ n1: [UInt8], _ n2: [UInt8], _ a1: [UInt8], _ a2: [UInt8]
    ) -> (macKey: [UInt8], longTermKey: [UInt8]) {
        let salt: [UInt8] = [
            0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83, 0xBE,
        ]
        let key = cmac(salt, secret)
        // The key identifier "btle", and at the end the length of the result in bits.
        let rest = [0x62, 0x74, 0x6C, 0x65] + n1 + n2 + a1 + a2 + [0x01, 0x00]
        return (cmac(key, [0] + rest), cmac(key, [1] + rest))
    }

    /// The check value over all agreed parameters (2.2.8).
    static func f6(
        _ key: [UInt8], _ n1: [UInt8], _ n2: [UInt8], _ r: [UInt8], _ capabilities: [UInt8], _ a1: [UInt8],
        _ a2: [UInt8]
    ) -> [UInt8] {
        cmac(key, n1 + n2 + r + capabilities + a1 + a2)
    }

    /// The number for numeric comparison, before it is reduced to six digits (2.2.9).
    static func g2(_ u: [UInt8], _ v: [UInt8], _ x: [UInt8], _ y: [UInt8]) -> UInt32 {
        cmac(x, u + v + y).suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Link key conversion (2.2.10).
    static func h6(_ key: [UInt8], _ identifier: [UInt8]) -> [UInt8] { cmac(key, identifier) }

    /// Link key conversion (2.2.11).
    static func h7(_ salt: [UInt8], _ key: [UInt8]) -> [UInt8] { cmac(salt, key) }

    // MARK: Octets

    /// Returns a number as 128 bits.
    static func wide(_ number: UInt32) -> [UInt8] { [UInt8](repeating: 0, count: 12) + octets(number) }

    private static func octets(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }
}

extension BluetoothAddress {
    /// The six octets of the address, most significant first.
    var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (40 - 8 * UInt64($0))) } }

    /// The address type and the address in seven octets, as inputs of f5 and f6.
    var octetsWithKind: [UInt8] { [kind.rawValue] + octets }
}
