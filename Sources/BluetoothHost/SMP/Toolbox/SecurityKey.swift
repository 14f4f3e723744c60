import Synchronization

/// A 128-bit secret: a long-term key, an identity resolving key or a signing key.
///
/// Its value never appears in texts: not in descriptions, not in dumps, and not in the messages of failed checks.
package struct SecurityKey: Hashable, Sendable {
    /// The 16 octets, most significant first, as printed in the specification.
    package let octets: [UInt8]

    /// Creates a key from its octets, most significant first; nil unless there are 16.
    package init?(octets: [UInt8]) {
        guard octets.count == 16 else { return nil }
        self.octets = octets
    }

    /// Creates a key from its octets, least significant first, as in packets and commands; nil unless there are 16.
    package init?(littleEndian octets: some BidirectionalCollection<UInt8>) { self.init(octets: octets.reversed()) }

    /// Creates a key from 16 octets that were just generated or computed.
    init(made octets: [UInt8]) {
        precondition(octets.count == 16, "a key must have 16 octets")
        self.octets = octets
    }

    /// The 16 octets, least significant first, as in packets and commands.
    package var littleEndian: [UInt8] { octets.reversed() }

    /// Generates a random key.
    package static func random() -> SecurityKey { SecurityKey(made: SecurityRandom.system(16)) }

    /// Derives another key, which is deterministic for each `name` and reveals neither this key nor those of other
    /// names.
    package func derived(for name: String) -> SecurityKey {
        SecurityKey(made: SecurityToolbox.cmac(octets, Array("derived key ".utf8) + Array(name.utf8)))
    }

    /// Returns the key shortened to `size` octets: the most significant ones are set to zero (Core 6.0, Vol 3, Part H,
    /// 2.3.4).
    func masked(to size: UInt8) -> SecurityKey {
        let kept = Int(min(max(size, 1), 16))
        return SecurityKey(made: [UInt8](repeating: 0, count: 16 - kept) + octets.suffix(kept))
    }

    /// Returns true if the `size` least significant octets are all equal, which indicates a manipulated key.
    func isDegenerate(size: UInt8 = 16) -> Bool { Set(octets.suffix(Int(size))).count < 2 }

    /// True if all octets are 0.
    var isZero: Bool { octets.allSatisfy { $0 == 0 } }
}

extension SecurityKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A text that does not reveal the key.
    package var description: String { "a key" }
    /// A text that does not reveal the key.
    package var debugDescription: String { "a key" }
    /// A mirror without children, which does not reveal the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The source of nonces, keys and passkeys.
package enum SecurityRandom {
    /// Returns the given number of random octets.
    package typealias Source = (Int) -> [UInt8]

    /// A deterministic generator for simulations; nil, except in `harald-simulate`, to use that of the system. Other
    /// packages cannot set it.
    package static let simulated = Mutex<(@Sendable (Int) -> [UInt8])?>(nil)

    /// Returns octets of the system's cryptographic random number generator.
    static func system(_ count: Int) -> [UInt8] {
        if let simulated = simulated.withLock({ $0 }) { return simulated(count) }
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Returns a number below `bound`, uniformly distributed.
    static func number(below bound: UInt32, from source: Source) -> UInt32 {
        // Values above the last multiple of `bound` are rejected, because they would favour small numbers.
        let limit = UInt32.max - UInt32.max % bound
        while true {
            let value = source(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if value < limit { return value % bound }
        }
    }
}

/// Compares two values in a time that does not depend on the position of a difference.
func areEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
