import BluetoothModel

/// An identity resolving key (IRK) for resolvable private addresses (Core 6.0, Vol 6, Part B, 1.3.2.2 and 1.3.2.3).
package struct IdentityResolvingKey: Sendable {
    private let bytes: [UInt8]
    private let key: AESKey

    /// Creates a key from 16 octets, least significant first; nil for zeros, which mean no key.
    package init?(littleEndian bytes: [UInt8]) {
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        self.bytes = bytes
        key = AESKey(littleEndian: bytes)
    }

    /// The random address hash function ah with a result of 24 bits (Core 6.0, Vol 3, Part H, 2.2.2).
    package func hash(_ random: UInt32) -> UInt32 {
        let block = AESKey.Block(littleEndian: (0..<3).map { UInt8(truncatingIfNeeded: random >> (8 * UInt32($0))) })
        return key.encrypt(block).littleEndian.prefix(3).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns true if `address`, which must be a resolvable private address, was generated with this key.
    package func resolves(_ address: BluetoothAddress) -> Bool {
        hash(UInt32(truncatingIfNeeded: address.value >> 24)) == UInt32(truncatingIfNeeded: address.value & 0xFF_FFFF)
    }

    /// Generates a new resolvable private address.
    package func makeAddress(using generator: inout some RandomNumberGenerator) -> BluetoothAddress {
        // Of the 22 random bits at least one must be 0 and one must be 1.
        let random = UInt32.random(in: 1...0x3F_FFFE, using: &generator) | 0x40_0000
        return BluetoothAddress(value: UInt64(random) << 24 | UInt64(hash(random)), kind: .random)
    }
}

extension IdentityResolvingKey: Equatable {
    package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}
