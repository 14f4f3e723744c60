/// Out-of-band data of LE Secure Connections, to be transferred over a channel that is safe from eavesdropping and
/// tampering (Core 6.0, Vol 3, Part H, 2.3.5.6.4). Valid for one pairing.
public struct OutOfBandData: Hashable, Sendable {
    /// The commitment to the public key, 16 octets, most significant first.
    public var confirm: [UInt8]
    /// The random value, 16 octets, most significant first.
    public var random: [UInt8]

    /// Creates data from its two values; nil unless each has 16 octets.
    public init?(confirm: [UInt8], random: [UInt8]) {
        guard confirm.count == 16, random.count == 16 else { return nil }
        self.confirm = confirm
        self.random = random
    }

    /// Creates data from ``text``, in either case; nil for anything else.
    public init?(text: String) {
        guard text.utf8.count == 64, let octets = [UInt8](hexDigits: text) else { return nil }
        self.init(confirm: Array(octets[..<16]), random: Array(octets[16...]))
    }

    /// Both values as 64 hexadecimal digits, to print, scan or type. Secret until pairing has ended.
    public var text: String { (confirm + random).hexText() }
}

extension OutOfBandData: CustomStringConvertible, CustomReflectable {
    /// A fixed text, which does not reveal the values.
    public var description: String { "out-of-band data" }
    /// An empty mirror, which does not reveal the values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
