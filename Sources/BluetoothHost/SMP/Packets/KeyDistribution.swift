/// The keys that one side distributes at the end of pairing (Core 6.0, Vol 3, Part H, 3.6.1).
package struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// The bits of the packet field.
    package let rawValue: UInt8

    /// Creates a set from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The long-term key with its identifiers; only in legacy pairing, where one side generates the key.
    package static let encryption = KeyDistribution(rawValue: 1)
    /// The identity resolving key and the identity address.
    package static let identity = KeyDistribution(rawValue: 2)
    /// The key for signed writes.
    package static let signing = KeyDistribution(rawValue: 4)
    /// The link key of Bluetooth Classic, derived on both sides. This host never requests it.
    static let link = KeyDistribution(rawValue: 8)

    /// All keys that this host supports.
    package static let all: KeyDistribution = [.encryption, .identity, .signing]
}
