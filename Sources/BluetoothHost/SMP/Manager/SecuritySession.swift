import BluetoothModel
import BluetoothRuntime

/// The security manager's part of one link: what is under way, who waits for it, and the channel to the peer.
final class SecuritySession: SecurityChannel {
    enum State {
        case idle
        /// Central: the key of a bond is being put in force.
        case encrypting(Bond)
        /// Peripheral: the central was asked to encrypt or to pair.
        case requesting
        case pairing(Pairing)
        /// The peer fell silent while pairing: the protocol is over on this link (Core 6.0, Vol 3, Part H, 3.4).
        case timedOut
        case closed
    }

    /// Whoever waits for a level.
    struct Waiter {
        let level: LinkSecurity.Level
        /// Whether the user is asked before a pairing that asks nothing else.
        let asksConsent: Bool
        /// On whose behalf.
        let owner: AnyObject?
        /// Whether something was done for it already.
        var wasTried = false
        let completion: (Result<LinkSecurity, RadioError>) -> Void
    }

    /// What the user was asked.
    enum Inquiry {
        case none
        case open(number: Int, SecurityQuestion)
    }

    let manager: SecurityManager
    /// Nil once it is closed. A weak reference would make each packet of the link dearer: its object is counted often.
    private(set) var link: (any SecurityLink)?
    var state = State.idle
    var waiters: [Waiter] = []
    /// On whose behalf the pairing runs, or was asked for; nil where the peer began it.
    var owner: AnyObject?
    /// The peer as bonds know it.
    var peerIdentity: BluetoothAddress
    /// What the key is worth that encrypts the link; nil where it is not encrypted, or by none of ours.
    var strength: KeyStrength?
    /// What the key is worth that the controller is putting in force.
    var comingStrength: KeyStrength?
    /// Whether the peer did not know the key of the bond.
    var peerLostBond = false
    /// Whether the server has back what it kept of the client.
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

    /// The bond with the peer, as the store has it now.
    var bond: Bond? {
        guard let link else { return nil }
        return manager.bonds.bond(local: manager.ownIdentity(on: link), peer: peerIdentity)
    }

    /// A link to a bonded device says so before it is encrypted: its peer gets other errors than a stranger, and its
    /// values are not believed.
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

    // MARK: The channel

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

    /// A peer has 30 s for its part (Core 6.0, Vol 3, Part H, 3.4).
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
        // A central may ignore the wish; nothing had begun that could be spoiled.
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
            pairing.abandon()
            tellOfAttempt(pairing, nil)
            withdrawQuestion()
            manager.delegate?.securityManager(manager, failedToPairOn: link, .link(error))
        }
        // Some controllers end the link at once where the peer does not know the key, or has another one.
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
