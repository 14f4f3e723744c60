/// The events of the second page that a host enables (Core 6.0, Vol 4, Part E, 7.3.69); none after a reset.
package struct HCIEventMaskPage2: OptionSet, Hashable, Sendable {
    /// The bits of the command parameter.
    package var rawValue: UInt64

    /// Creates a mask from its bits.
    @inlinable
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Authenticated Payload Timeout Expired.
    package static let authenticatedPayloadTimeoutExpired = HCIEventMaskPage2(rawValue: 1 << 23)
    /// Encryption Change [v2].
    package static let encryptionChangeV2 = HCIEventMaskPage2(rawValue: 1 << 25)
}
