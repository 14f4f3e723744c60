import BluetoothModel

/// The second phase of legacy pairing: confirm values with a temporary key (Core 6.0, Vol 3, Part H, 2.3.5.5).
///
/// It does not protect against passive eavesdroppers, except with a temporary key transferred out of band.
final class LegacyAuthentication: AuthenticationPhase {
    private enum State {
        case idle
        /// The user is entering the passkey; the peer's confirm value may arrive earlier.
        case entering(early: [UInt8]?)
        case awaitingConfirm(Own)
        case awaitingRandom(Own, peerConfirm: [UInt8])
        case ended
    }

    /// The local values, used once.
    private struct Own {
        let key: [UInt8]
        let random: [UInt8]
        let confirm: [UInt8]
    }

    private let context: PhaseContext
    /// Proof of `unowned`: only the pairing, which is the owner, stores this object, and all calls to it come from the
    /// pairing.
    private unowned let owner: any PhaseOwner
    private var state = State.idle
    /// The passkey, once it is known.
    private var passkey: UInt32?

    init(_ context: PhaseContext, owner: any PhaseOwner) {
        self.context = context
        self.owner = owner
    }

    func start() {
        switch context.agreement.model {
        case .justWorks, .numericComparison: begin(SecurityToolbox.wide(0))
        case .outOfBand:
            guard let key = context.outOfBand?.temporaryKey else { return fail(.oobNotAvailable) }
            begin(key.octets)
        case .passkey(let roles):
            if roles.enters(context.role) {
                state = .entering(early: nil)
                owner.ask(.enterPasskey)
            } else {
                let passkey = context.makePasskey()
                self.passkey = passkey
                begin(SecurityToolbox.wide(passkey))
                owner.ask(.display(passkey: passkey))
            }
        }
    }

    func answered(_ answer: SecurityAnswer) {
        switch (state, answer) {
        case (.entering, .refuse):
            state = .ended
            owner.cancel(.passkeyEntryFailed)
        case (.entering(let early), .passkey(let passkey)):
            guard passkey < 1_000_000 else { return fail(.passkeyEntryFailed) }
            self.passkey = passkey
            begin(SecurityToolbox.wide(passkey))
            if let early { receive(.confirm(early)) }
        case (.entering, .accept): fail(.passkeyEntryFailed)
        // While the passkey is displayed, the user can refuse at any time.
        case (.awaitingConfirm, .refuse), (.awaitingRandom, .refuse):
            state = .ended
            owner.cancel(.passkeyEntryFailed)
        default: break
        }
    }

    func receive(_ packet: SecurityPacket) {
        switch (state, packet) {
        case (.entering(early: nil), .confirm(let confirm)) where context.role == .peripheral:
            state = .entering(early: confirm)
        case (.awaitingConfirm(let own), .confirm(let confirm)):
            // A reflection of the local value proves nothing.
            guard confirm != own.confirm else { return fail(.confirmValueFailed) }
            if let passkey, !owner.admitsAttempt(on: passkey) {
                state = .ended
                return owner.block()
            }
            state = .awaitingRandom(own, peerConfirm: confirm)
            owner.send(context.role == .central ? .random(own.random) : .confirm(own.confirm))
        case (.awaitingRandom(let own, let peerConfirm), .random(let random)):
            check(own, peerConfirm, random)
        default: fail(.unspecifiedReason)
        }
    }

    private func begin(_ key: [UInt8]) {
        let random = context.random(16)
        let own = Own(key: key, random: random, confirm: confirm(key, random))
        state = .awaitingConfirm(own)
        if context.role == .central { owner.send(.confirm(own.confirm)) }
    }

    private func check(_ own: Own, _ peerConfirm: [UInt8], _ peerRandom: [UInt8]) {
        guard peerRandom != own.random, areEqualInConstantTime(confirm(own.key, peerRandom), peerConfirm) else {
            return fail(.confirmValueFailed)
        }
        state = .ended
        if context.role == .peripheral { owner.send(.random(own.random)) }
        let (central, peripheral) =
            context.role == .central ? (own.random, peerRandom) : (peerRandom, own.random)
        owner.agreed(on: SecurityToolbox.s1(own.key, peripheral, central), isDebug: false)
    }

    private func confirm(_ key: [UInt8], _ random: [UInt8]) -> [UInt8] {
        let agreement = context.agreement
        return SecurityToolbox.c1(
            key, random, request: SecurityPacket.pairingRequest(agreement.request).octets.reversed(),
            response: SecurityPacket.pairingResponse(agreement.response).octets.reversed(),
            central: context.centralAddress, peripheral: context.peripheralAddress)
    }

    private func fail(_ reason: PairingFailureReason) {
        state = .ended
        owner.fail(reason)
    }
}
