/// Signs and verifies commands that go over a link without encryption (Core 6.0, Vol 3, Part C, 10.4).
protocol AttributeSigner: AnyObject {
    /// The 12 octets that follow a packet; nil where there is no key to sign with.
    func sign(_ packet: [UInt8]) -> [UInt8]?
    /// Whether a packet and the 12 octets after it come from the bonded peer, and were not seen before.
    func verify(_ packet: [UInt8], signature: [UInt8]) -> Bool
}
