import BluetoothModel
import BluetoothRuntime

/// The security manager's state of one link: the current procedure, the waiting callers, and the channel to the peer.
final class SecuritySession: SecurityChannel {
    enum State {
        case idle
        /// Central: the link is being encrypted with the key of a bond.
        case encrypting(Bond)
        /// Peripheral: the central was requested to encrypt or pair.
        /// - provesBond: True if more than the bond provides is wanted, which is requested after the bond is proved.
        case requesting(provesBond: Bool)
        case pairing(Pairing)
        /// The peer did not respond during pairing: the protocol must not be used on this link any more (Core 6.0, Vol
        /// 3, Part H, 3.4).
        case timedOut
        case closed
    }

    /// A caller that waits for a security level.
    struct Waiter {
        let level: LinkSecurity.Level
        /// True to ask the user before a pairing without another question.
        let asksConsent: Bool
        /// The object for which the link is secured.
        let owner: AnyObject?
        /// True if a procedure was completed for this caller already.
        var wasTried = false
        let completion: (Result<LinkSecurity, RadioError>) -> Void
    }

    /// A key with which the link is being encrypted.
    struct ComingKey {
        let strength: KeyStrength
        /// The bond to which the key belongs; nil for the key of a pairing.
        var bond: Bond?
    }

    /// The question to the user.
    enum Inquiry {
        case none
        case open(number: Int, SecurityQuestion)
    }

    let manager: SecurityManager
    /// nil once the link is closed. A weak reference would slow down the frequent reference counting of the link.
    private(set) var link: (any SecurityLink)?
    var state = State.idle
    var waiters: [Waiter] = []
    /// The owner of the running or requested pairing; nil if the peer started it.
    var owner: AnyObject?
    /// The peer's identity address, by which bonds are found.
    var peerIdentity: BluetoothAddress
    /// The strength of the key that encrypts the link; nil if it is not encrypted, or with an unknown key.
    var strength: KeyStrength?
    /// The key with which the link is being encrypted.
    var coming: ComingKey?
    /// A key of the bond that encrypts the link, or that was made on it; nil if there is none.
    var provenKey: SecurityKey?
    /// The rule for the bond of the running pairing.
    var adoption: BondAdoption?
    /// True if the peer did not have the key of the bond.
    var peerLostBond = false
    /// True after the client state of the GATT server was restored.
    var hasRestoredServerState = false
    var inquiry = Inquiry.none
    var inquiries = 0
    private var timer: QueuedTimer?

    init(link: any SecurityLink, manager: SecurityManager) {
        self.link = link
        self.manager = manager
        peerIdentity = manager.identity(behind: link.peerAddress)
        timer = link.timers.makeTimer { [weak self] in self?.timedOut() }
    }

    func begin() {
        connectServer()
        showBond()
    }

    /// The bond with the peer, read from the store.
    var bond: Bond? {
        guard let link else { return nil }
        return manager.bonds.bond(local: manager.ownIdentity(on: link), peer: peerIdentity)
    }

    /// Marks the link as bonded before it is encrypted: its peer gets different errors than without a bond, and its
    /// data is not trusted.
    func showBond() {
        guard let link else { return }
        var security = link.security
        security.isBonded = bond.map { security.level > .none || isUsable($0) } ?? false
        link.change(security: security)
    }

    func bondsChanged() {
        if bond == nil { peerLostBond = false }
        showBond()
    }

    // MARK: Channel

    func receive(_ view: ByteView) {
        guard let link else { return }
        switch state {
        case .timedOut, .closed: return link.securityPacketDropped()
        case .idle, .encrypting, .requesting, .pairing: break
        }
        do throws(SecurityPacket.Fault) {
            receive(try SecurityPacket(view), on: link)
        } catch {
            receive(error, on: link)
        }
    }

    private func receive(_ packet: SecurityPacket, on link: any SecurityLink) {
        switch (state, packet) {
        case (.pairing(let pairing), _): pairing.receive(packet)
        case (_, .pairingRequest(let features)) where link.role == .peripheral: pairingRequested(features, on: link)
        case (_, .securityRequest(let requirements)) where link.role == .central:
            securityRequested(requirements, on: link)
        case (_, .pairingRequest), (_, .securityRequest): send(.failed(.commandNotSupported))
        case (.requesting, .failed(let reason)): finish(.failure(PairingFailure.refusedByPeer(reason).radioError))
        default: link.securityPacketDropped()
        }
    }

    private func receive(_ fault: SecurityPacket.Fault, on link: any SecurityLink) {
        link.securityPacketDropped()
        guard case .malformed(let code) = fault else { return }
        if case .pairing(let pairing) = state { return pairing.receivedMalformed() }
        if code == (link.role == .peripheral ? .pairingRequest : .securityRequest) {
            send(.failed(.invalidParameters))
        }
    }

    func roomAvailable() {}

    func send(_ packet: SecurityPacket) {
        guard let link, link.isOpen else { return }
        packet.octets.withByteView { link.send(cid: L2CAPChannelID.security, $0) }
        if case .pairing = state { armTimer() }
    }

    /// Arms the timeout of 30 s for the peer's next packet (Core 6.0, Vol 3, Part H, 3.4).
    func armTimer() {
        guard let link else { return }
        timer?.arm(at: link.now + .seconds(30))
    }

    func disarmTimer() { timer?.disarm() }

    private func timedOut() {
        switch state {
        case .pairing(let pairing):
            pairing.abandon()
            tellOfAttempt(pairing, nil)
            state = .timedOut
            pairingFailed(.timeout)
        // A central may ignore a security request, and no pairing has started, so the protocol stays usable.
        case .requesting: finish(.failure(.timeout))
        case .idle, .encrypting, .timedOut, .closed: break
        }
    }

    func linkClosed(_ error: RadioError) {
        guard let link else { return closeWaiters(error) }
        defer { self.link = nil }
        let ended = state
        state = .closed
        disarmTimer()
        manager.closed(self, of: link)
        if case .pairing(let pairing) = ended {
            if let exchange = pairing.unfinishedExchange { renewBond(exchange) }
            pairing.abandon()
            tellOfAttempt(pairing, nil)
            withdrawQuestion()
            manager.delegate?.securityManager(manager, failedToPairOn: link, .link(error))
        }
        // Some controllers disconnect the link when the peer does not have the key or has a different one.
        if case .encrypting(let bond) = ended,
            error == .disconnected(.pinOrKeyMissing) || error == .disconnected(.micFailure)
        {
            manager.delegate?.securityManager(manager, lost: bond, on: link)
            return closeWaiters(lossError(of: bond))
        }
        closeWaiters(error)
    }

    private func closeWaiters(_ error: RadioError) {
        let ended = waiters
        waiters = []
        for waiter in ended { waiter.completion(.failure(error)) }
    }
}
