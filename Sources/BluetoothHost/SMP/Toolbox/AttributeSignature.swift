/// The signature of a signed write (Core 6.0, Vol 3, Part H, 2.4.5; Part C, 10.4.1). It has 12 octets: four of the
/// counter, and eight of the upper half of a message authentication code, both least significant octet first.
enum AttributeSignature {
    /// The length of a signature, in octets.
    static let length = 12

    /// Returns the signature of `message`, an encoded ATT packet beginning with its opcode.
    static func make(_ key: SecurityKey, message: [UInt8], counter: UInt32) -> [UInt8] {
        let octets = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: counter >> $0) }
        let code = SecurityToolbox.cmac(key.octets, Array((message + octets).reversed()))
        return octets + code.prefix(8).reversed()
    }

    /// Returns the counter in a signature of 12 octets.
    static func counter(in signature: [UInt8]) -> UInt32 {
        signature.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
