import BluetoothModel

extension BluetoothAddress {
    /// Whether this is a resolvable private address of whoever has this identity resolving key
    /// (Core 6.0, Vol 6, Part B, 1.3.2.3).
    public func isResolved(by key: SecurityKey) -> Bool {
        guard randomKind == .resolvablePrivate else { return false }
        return SecurityToolbox.ah(key, UInt32(value >> 24)) == UInt32(value & 0xFF_FFFF)
    }

    /// A fresh resolvable private address of whoever has this key (Core 6.0, Vol 6, Part B, 1.3.2.2).
    public static func resolvable(with key: SecurityKey) -> BluetoothAddress {
        resolvable(with: key, from: SecurityRandom.system)
    }

    static func resolvable(with key: SecurityKey, from source: SecurityRandom.Source) -> BluetoothAddress {
        while true {
            let part = source(3).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x3F_FFFF
            // All zeros and all ones say nothing, and are not allowed.
            guard part != 0, part != 0x3F_FFFF else { continue }
            let random = part | 0x40_0000
            let value = UInt64(random) << 24 | UInt64(SecurityToolbox.ah(key, random))
            return BluetoothAddress(value: value, kind: .random)
        }
    }
}
