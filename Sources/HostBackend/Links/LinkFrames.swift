import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// The frames of a raw link. The host stack gets no frame of the attribute protocol from it.
final class LinkFrames: RawFrames {
    private weak var link: LELink?
    private weak var security: SecurityManager?
    private var receive: ((UInt16, ByteView) -> Void)?
    private var ended: ((RadioError) -> Void)?
    /// The first frames, until there is a receiver.
    private var early: [(UInt16, [UInt8])] = []
    private var end: RadioError?
    private var takesSecurity = false
    /// The maximum number of frames without a receiver; further ones are dropped.
    private static let earlyFrames = 64

    /// Takes the frames of a link.
    init(_ link: LELink, security: SecurityManager?) {
        self.link = link
        self.security = security
        link.l2cap.tap = { [weak self] cid, payload in self?.received(cid, payload) ?? false }
    }

    private func received(_ cid: UInt16, _ payload: ByteView) -> Bool {
        if let receive {
            receive(cid, payload)
        } else if early.count < Self.earlyFrames {
            early.append((cid, payload.array))
        }
        return cid == L2CAPChannelID.attribute || (takesSecurity && cid == L2CAPChannelID.security)
    }

    func linkEnded(_ error: RadioError) {
        guard end == nil else { return }
        end = error
        let ended = ended
        receive = nil
        self.ended = nil
        ended?(error)
    }

    func attach(receive: @escaping (UInt16, ByteView) -> Void, ended: @escaping (RadioError) -> Void) {
        for (cid, payload) in early { payload.withByteView { receive(cid, $0) } }
        early = []
        if let end { return ended(end) }
        self.receive = receive
        self.ended = ended
    }

    func takeSecurity(_ isTaken: Bool) { takesSecurity = isTaken }

    func takeBond() -> (() -> Void)? {
        guard let link, let security else { return nil }
        let (bonds, identity) = (security.bonds, security.identity(of: link))
        guard let bond = bonds.bonds.first(where: { $0.peerAddress == identity }) else { return nil }
        bonds.remove(bond)
        // A bond that cannot be stored is lost, as in any other pairing.
        return { try? bonds.save(bond) }
    }

    func offer(secureConnections: Bool, keySizes: ClosedRange<UInt8>) {
        security?.configuration.offersSecureConnections = secureConnections
        security?.configuration.keySizes = keySizes
    }

    func send(cid: UInt16, _ payload: [UInt8]) -> Bool {
        guard end == nil, let link, link.isOpen else { return false }
        payload.withByteView { link.send(cid: cid, $0) }
        return true
    }
}
