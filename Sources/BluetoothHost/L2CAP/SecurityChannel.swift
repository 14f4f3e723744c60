import BluetoothModel

/// The handler of the security manager channel (Core 6.0, Vol 3, Part H).
package protocol SecurityChannel: AnyObject {
    /// Processes a packet of the security manager protocol, opcode first.
    func receive(_ packet: ByteView)
    /// Called when the link has room again.
    func roomAvailable()
    /// Called when the link has closed.
    func linkClosed(_ error: RadioError)
}

/// The handler for links without a security manager: answers every pairing request with Pairing Not Supported.
///
/// Without an answer, the peer would wait for 30 seconds and then have to disconnect.
final class PairingRefusal: SecurityChannel {
    /// Proof of `unowned`: only the link retains this object, as its ``L2CAPLink/securityChannel``.
    private unowned let link: L2CAPLink

    init(link: L2CAPLink) { self.link = link }

    private static let pairingRequest: UInt8 = 0x01, securityRequest: UInt8 = 0x0B
    /// Pairing Failed with the reason Pairing Not Supported (Core 6.0, Vol 3, Part H, 3.5.5).
    private static let refusal: [UInt8] = [0x05, 0x05]

    func receive(_ packet: ByteView) {
        guard !packet.isEmpty, packet[0] == Self.pairingRequest || packet[0] == Self.securityRequest else {
            link.faults.add(.unexpectedSecurity, packet)
            return
        }
        Self.refusal.withByteView { link.transmitter?.send(cid: L2CAPChannelID.security, $0) }
    }

    func roomAvailable() {}

    func linkClosed(_ error: RadioError) {}
}
