/// Signs and verifies commands sent over an unencrypted link (Core 6.0, Vol 3, Part C, 10.4).
protocol AttributeSigner: AnyObject {
    /// Returns the 12-octet signature to append to a packet; nil if there is no signing key.
    func sign(_ packet: [UInt8]) -> [UInt8]?
    /// Returns true if the 12-octet signature is the bonded peer's and has not been used before.
    func verify(_ packet: [UInt8], signature: [UInt8]) -> Bool
}
