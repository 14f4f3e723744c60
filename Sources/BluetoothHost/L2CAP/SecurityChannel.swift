import BluetoothModel

/// What answers on the security manager's channel (Core 6.0, Vol 3, Part H).
public protocol SecurityChannel: AnyObject {
    /// The peer sent a packet of the security manager protocol, opcode first.
    func receive(_ packet: ByteView)
    /// The link has room again.
    func roomAvailable()
    /// The link is gone.
    func linkClosed(_ error: RadioError)
}

/// Stands in where there is no security manager: every wish to pair gets the answer that pairing is not supported.
///
/// Silence would cost the peer 30 seconds and, by the specification, the link.
final class PairingRefusal: SecurityChannel {
    private unowned let link: L2CAPLink

    init(link: L2CAPLink) { self.link = link }

    private static let pairingRequest: UInt8 = 0x01, securityRequest: UInt8 = 0x0B
    /// Pairing Failed with the reason Pairing Not Supported (Core 6.0, Vol 3, Part H, 3.5.5).
    private static let refusal: [UInt8] = [0x05, 0x05]

    func receive(_ packet: ByteView) {
        guard !packet.isEmpty, packet[0] == Self.pairingRequest || packet[0] == Self.securityRequest else {
            link.faults.add(.unexpectedSecurity)
            return
        }
        Self.refusal.withByteView { link.transmitter?.send(cid: L2CAPChannelID.security, $0) }
    }

    func roomAvailable() {}

    func linkClosed(_ error: RadioError) {}
}
