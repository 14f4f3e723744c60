/// The signature of a signed write (Core 6.0, Vol 3, Part H, 2.4.5; Part C, 10.4.1): 12 octets, of which the first four
/// are the counter and the others the upper half of a message authentication code, both least significant first.
enum AttributeSignature {
    /// How many octets a signature has.
    static let length = 12

    /// The signature of `message`, which is an ATT packet from its opcode on, as it goes over the air.
    static func make(_ key: SecurityKey, message: [UInt8], counter: UInt32) -> [UInt8] {
        let octets = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: counter >> $0) }
        let code = SecurityToolbox.cmac(key.octets, Array((message + octets).reversed()))
        return octets + code.prefix(8).reversed()
    }

    /// The counter in a signature that has its 12 octets.
    static func counter(in signature: [UInt8]) -> UInt32 {
        signature.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
