import Synchronization

/// A secret of 128 bits: a long-term key, an identity resolving key or a signing key.
///
/// It never shows itself in a text: neither printed nor dumped nor in the message of a failed check.
public struct SecurityKey: Hashable, Sendable {
    /// The 16 octets, most significant first, as the specification prints keys.
    public let octets: [UInt8]

    /// A key from its octets, most significant first; nil unless there are 16.
    public init?(octets: [UInt8]) {
        guard octets.count == 16 else { return nil }
        self.octets = octets
    }

    /// A key from its octets, least significant first, as packets and commands have them; nil unless there are 16.
    public init?(littleEndian octets: some BidirectionalCollection<UInt8>) { self.init(octets: octets.reversed()) }

    /// For octets that were just made, 16 of them.
    init(made octets: [UInt8]) {
        precondition(octets.count == 16, "a key has 16 octets")
        self.octets = octets
    }

    /// The 16 octets, least significant first, as packets and commands have them.
    public var littleEndian: [UInt8] { octets.reversed() }

    /// A key nobody can guess.
    public static func random() -> SecurityKey { SecurityKey(made: SecurityRandom.system(16)) }

    /// Another key, the same each time for one `name`, that gives neither this one nor those of other names away.
    public func derived(for name: String) -> SecurityKey {
        SecurityKey(made: SecurityToolbox.cmac(octets, Array("derived key ".utf8) + Array(name.utf8)))
    }

    /// The same key shortened to `size` octets: the most significant ones become zero
    /// (Core 6.0, Vol 3, Part H, 2.3.4).
    func masked(to size: UInt8) -> SecurityKey {
        let kept = Int(min(max(size, 1), 16))
        return SecurityKey(made: [UInt8](repeating: 0, count: 16 - kept) + octets.suffix(kept))
    }

    /// Whether the `size` least significant octets are all the same, which no honest key is.
    func isDegenerate(size: UInt8 = 16) -> Bool { Set(octets.suffix(Int(size))).count < 2 }

    /// Whether every octet is 0.
    var isZero: Bool { octets.allSatisfy { $0 == 0 } }
}

extension SecurityKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says that it is a key, and not which.
    public var description: String { "a key" }
    /// Says that it is a key, and not which.
    public var debugDescription: String { "a key" }
    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where nonces, keys and passkeys come from.
package enum SecurityRandom {
    /// So many octets.
    package typealias Source = (Int) -> [UInt8]

    /// Numbers of a simulation, which are the same in each run; nil, always but in `harald-simulate`, for the system's.
    /// No other package can set it.
    package static let simulated = Mutex<(@Sendable (Int) -> [UInt8])?>(nil)

    /// The system's generator for cryptography.
    static func system(_ count: Int) -> [UInt8] {
        if let simulated = simulated.withLock({ $0 }) { return simulated(count) }
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// A number below `bound`, each as likely as any other.
    static func number(below bound: UInt32, from source: Source) -> UInt32 {
        // What lies above the last whole multiple would favour small numbers.
        let limit = UInt32.max - UInt32.max % bound
        while true {
            let value = source(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if value < limit { return value % bound }
        }
    }
}

/// Whether two values are the same, in a time that does not tell where they differ.
func areEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
