import BluetoothModel
import BluetoothRuntime

/// The security manager of a host: pairing, bonds, encryption and identities on all its links (Core 6.0, Vol 3, Part
/// H).
///
/// Created by ``LEHost/useSecurity(_:bonds:)`` and confined to the host's thread. The driver sets ``LEHost/now`` before
/// it calls. The delegate may answer questions, and completions may run, during the call that causes them.
package final class SecurityManager {
    /// The pairing configuration, which applies from the next pairing on.
    package var configuration: SecurityConfiguration
    /// The store of bonds.
    package let bonds: any BondStore
    /// The delegate, which asks the user; a weak reference. Without one, peers cannot start pairing and every question
    /// is refused.
    package weak var delegate: (any SecurityManagerDelegate)?

    /// The local identity address if neither the link nor the configuration provides one.
    var defaultIdentity: () -> BluetoothAddress? = { nil }
    /// Called when bonds were added, changed or removed.
    var onBondsChange: () -> Void = {}
    /// Counts the failed attempts on fixed passkeys; by default for the lifetime of the manager.
    package var passkeyLimiter: any PasskeyLimiter = InMemoryPasskeyLimiter()
    /// The blocked passkeys that were reported to the delegate.
    private var blockedPasskeys: Set<UInt32> = []
    var attempts = RepeatedAttempts()
    let random: SecurityRandom.Source
    private(set) var sessions: [ObjectIdentifier: SecuritySession] = [:]
    private var localOutOfBand: LocalOutOfBandData?
    /// Out-of-band data of peers, by their address; the key nil applies to any peer.
    private var givenOutOfBand: [BluetoothAddress?: PeerOutOfBandData] = [:]
    var identities = IdentityCache()
    private(set) lazy var fallbackIdentityKey = SecurityKey(made: random(16))

    /// Creates a manager for the links that its owner passes to ``opened(_:)``.
    package convenience init(_ configuration: SecurityConfiguration = .init(), bonds: any BondStore) {
        self.init(configuration, bonds: bonds, random: SecurityRandom.system)
    }

    package init(_ configuration: SecurityConfiguration, bonds: any BondStore, random: @escaping SecurityRandom.Source)
    {
        self.configuration = configuration
        self.bonds = bonds
        self.random = random
    }

    // MARK: Pairing

    /// Raises the security of a link to a level, with the key of a bond if it suffices, otherwise by pairing. A
    /// peripheral requests this from the central.
    ///
    /// Several callers may wait for one link; the work is done once. Completes immediately if the link has the level
    /// already.
    ///
    /// - Parameters:
    ///   - asksConsent: True to ask the user before a pairing without anything to compare, because pairing was not
    ///     explicitly requested.
    ///   - owner: The object for which the link is secured; ``owner(on:)`` returns it while a pairing started by this
    ///     call runs.
    ///   - completion: Called exactly once, with the security of the link or with the error that prevented the level:
    ///     ``RadioError/security(_:)`` contains the cause and the remedy.
    package func secure(
        _ link: any SecurityLink, to level: LinkSecurity.Level = .encrypted, asksConsent: Bool = false,
        for owner: AnyObject? = nil, completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard let session = session(of: link) else { return completion(.failure(.notConnected)) }
        session.secure(to: level, asksConsent: asksConsent, for: owner, completion: completion)
    }

    /// Returns the owner of the pairing on a link; nil if the peer started it, or none is running.
    package func owner(on link: any SecurityLink) -> AnyObject? { session(of: link)?.owner }

    /// Pairs, or encrypts the link with the keys of an earlier pairing:
    /// ``secure(_:to:asksConsent:for:completion:)`` with the level that the configuration requires.
    package func pair(
        _ link: any SecurityLink, completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        secure(
            link, to: max(.encrypted, session(of: link)?.minimumLevel ?? configuration.minimumLevel),
            completion: completion)
    }

    /// Encrypts a link with the key of its bond, without pairing. A peripheral requests this from the central.
    package func encrypt(
        _ link: any SecurityLink, completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard let session = session(of: link) else { return completion(.failure(.notConnected)) }
        guard let bond = session.bond else {
            return completion(
                .failure(.security(.init(.notPaired, "there is no bond with \(link.peerAddress); pair with it first"))))
        }
        guard session.isUsable(bond) else {
            return completion(.failure(session.uselessness(of: bond)))
        }
        session.secure(to: bond.strength.level, completion: completion)
    }

    /// Calls `completion` as soon as the peer's data can be trusted: immediately without a bond, and for a bonded
    /// device once the link is encrypted with its key. Call this before the first GATT operation.
    package func whenTrusted(
        _ link: any SecurityLink, completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard trust(in: link) == .unproven else { return completion(.success(link.security)) }
        encrypt(link, completion: completion)
    }

    /// Returns the trust in the identity of a link's peer.
    package func trust(in link: any SecurityLink) -> LinkTrust {
        guard link.security.level == .none else { return .proven }
        return session(of: link)?.bond == nil ? .stranger : .unproven
    }

    /// Cancels a pairing or a request for one: waiting callers get ``RadioError/cancelled``, and the peer is notified.
    package func cancelPairing(on link: any SecurityLink) { session(of: link)?.cancel() }

    /// Sends a keypress notification while the user enters the passkey of the peer, if both sides support it.
    package func tell(_ keypress: Keypress, on link: any SecurityLink) { session(of: link)?.tell(keypress) }

    /// Creates data to transfer to a peer out of band. It contains a commitment to the key pair of one pairing, and
    /// replaces data created earlier.
    package func makeOutOfBandData() -> OutOfBandData {
        let local = LocalOutOfBandData(from: random)
        localOutOfBand = local
        return local.data
    }

    /// Sets the data received out of band from a peer for its next pairing; nil removes it.
    ///
    /// - Parameter peer: The address of the peer; nil for whichever peer pairs next.
    package func use(_ data: PeerOutOfBandData?, of peer: BluetoothAddress?) {
        if let data, givenOutOfBand.count < 256 || givenOutOfBand[peer] != nil {
            givenOutOfBand[peer] = data
        } else {
            givenOutOfBand[peer] = nil
        }
    }

    /// Returns the out-of-band data of a peer.
    func outOfBandData(of identity: BluetoothAddress, at address: BluetoothAddress) -> PeerOutOfBandData? {
        configuration.outOfBandData?(identity) ?? givenOutOfBand[identity] ?? givenOutOfBand[address]
            ?? givenOutOfBand[nil]
    }

    /// Removes the out-of-band data of a peer after a successful pairing.
    func forgetOutOfBandData(of identity: BluetoothAddress, at address: BluetoothAddress) {
        for key in [identity, address, nil] { givenOutOfBand[key] = nil }
    }

    func takeLocalOutOfBandData() -> LocalOutOfBandData? {
        defer { localOutOfBand = nil }
        return localOutOfBand
    }

    /// Unblocks a fixed passkey after it was set again, and resets its failed attempts.
    /// - Throws: The error of ``passkeyLimiter`` if the reset could not be stored.
    package func allowPasskey(_ passkey: UInt32) throws(RadioError) {
        try passkeyLimiter.reset(passkey)
        blockedPasskeys.remove(passkey)
    }

    /// Handles a failed or refused attempt on a fixed passkey; notifies the delegate once when no attempts are left.
    func attemptFailed(on passkey: UInt32, _ link: any SecurityLink) {
        guard !passkeyLimiter.allows(passkey), blockedPasskeys.insert(passkey).inserted else { return }
        delegate?.securityManager(self, blockedPasskeyOn: link)
    }

    // MARK: Events of links

    /// Adds a link that was established. The caller passes the packets of the security manager channel to the result
    /// and notifies it of the end of the link.
    @discardableResult
    package func opened(_ link: any SecurityLink) -> any SecurityChannel {
        let session = SecuritySession(link: link, manager: self)
        sessions[ObjectIdentifier(link)] = session
        session.begin()
        return session
    }

    /// Encrypts a link to a bonded device after the delegate of the host has been notified of the link.
    package func started(_ link: any SecurityLink) {
        guard configuration.encryptsKnownPeers, link.role == .central, link.isOpen, trust(in: link) == .unproven,
            let session = session(of: link)
        else { return }
        session.encryptAtOnce()
    }

    func closed(_ session: SecuritySession, of link: any SecurityLink) {
        let key = ObjectIdentifier(link)
        if sessions[key] === session { sessions[key] = nil }
    }

    /// Removes all sessions when the host is deallocated.
    func abandon() { sessions = [:] }

    func session(of link: any SecurityLink) -> SecuritySession? { sessions[ObjectIdentifier(link)] }

    /// Returns the security of a link after the controller reported that encryption is on or off.
    package func security(
        of link: any SecurityLink, isEncrypted: Bool, keySize: UInt8?
    ) -> LinkSecurity? {
        session(of: link)?.security(isEncrypted: isEncrypted, keySize: keySize)
    }

    /// Handles a change of a link's encryption that the controller reported. ``SecurityLink/security`` has been updated
    /// already, unless the change failed.
    package func encryptionChanged(on link: any SecurityLink, _ status: HCIStatus) {
        session(of: link)?.encryptionChanged(status)
    }

    /// Returns, as peripheral, the key that the central requests; nil if it is unknown.
    package func longTermKey(
        on link: any SecurityLink, randomNumber: UInt64, diversifier: UInt16
    ) -> SecurityKey? {
        session(of: link)?.longTermKey(randomNumber: randomNumber, diversifier: diversifier)
    }
}
