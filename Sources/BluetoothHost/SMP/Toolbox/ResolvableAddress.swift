import BluetoothModel

extension BluetoothAddress {
    /// Returns true if this is a resolvable private address of the device with this identity resolving key (Core 6.0,
    /// Vol 6, Part B, 1.3.2.3).
    package func isResolved(by key: SecurityKey) -> Bool {
        guard randomKind == .resolvablePrivate else { return false }
        return SecurityToolbox.ah(key, UInt32(value >> 24)) == UInt32(value & 0xFF_FFFF)
    }

    /// Generates a resolvable private address with an identity resolving key (Core 6.0, Vol 6, Part B, 1.3.2.2).
    package static func resolvable(with key: SecurityKey) -> BluetoothAddress {
        resolvable(with: key, from: SecurityRandom.system)
    }

    static func resolvable(with key: SecurityKey, from source: SecurityRandom.Source) -> BluetoothAddress {
        while true {
            let part = source(3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x3F_FFFF
            // A random part of only zeros or only ones is not allowed.
            guard part != 0, part != 0x3F_FFFF else { continue }
            let random = part | 0x40_0000
            let value = UInt64(random) << 24 | UInt64(SecurityToolbox.ah(key, random))
            return BluetoothAddress(value: value, kind: .random)
        }
    }

    /// Derives a static random address from a key and the name of a role. The address is deterministic, and cannot be
    /// attributed to its device without the key.
    package static func staticRandom(with key: SecurityKey, for name: String) -> BluetoothAddress {
        let code = SecurityToolbox.cmac(key.octets, Array("static address ".utf8) + Array(name.utf8))
        // The result has only zeros or only ones, which is not allowed, for one in 2 to the power of 45 keys.
        let value = code.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return BluetoothAddress(value: value & 0x3FFF_FFFF_FFFF | 0b11 << 46, kind: .random)
    }
}
