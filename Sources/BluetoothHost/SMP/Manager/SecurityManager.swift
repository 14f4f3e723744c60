import BluetoothModel
import BluetoothRuntime

/// The security manager of a host: pairing, bonds, encryption and identities on all its links
/// (Core 6.0, Vol 3, Part H).
///
/// ``LEHost/useSecurity(_:bonds:)`` makes one. It is confined to the host's thread; its driver sets ``LEHost/now``
/// before it calls. Answers of the user and completions may come inside the call that leads to them.
public final class SecurityManager {
    /// How this host pairs, from the next pairing on.
    public var configuration: SecurityConfiguration
    /// The bonds.
    public let bonds: any BondStore
    /// Asks the user; without one, no peer begins to pair, and every question is answered with no. Held weakly.
    public weak var delegate: (any SecurityManagerDelegate)?

    /// Our identity address where neither the link nor the configuration tells.
    var defaultIdentity: () -> BluetoothAddress? = { nil }
    /// Told when bonds came or went.
    var onBondsChange: () -> Void = {}
    /// Counts the failed attempts on fixed passkeys; by default as long as the manager lives.
    public var passkeyLimiter: any PasskeyLimiter = InMemoryPasskeyLimiter()
    /// The passkeys of which the delegate heard that they are refused.
    private var blockedPasskeys: Set<UInt32> = []
    var attempts = RepeatedAttempts()
    let random: SecurityRandom.Source
    private(set) var sessions: [ObjectIdentifier: SecuritySession] = [:]
    private var localOutOfBand: LocalOutOfBandData?
    /// What came from peers another way, by the address under which they were known; under nil from anybody.
    private var givenOutOfBand: [BluetoothAddress?: PeerOutOfBandData] = [:]
    var identities = IdentityCache()
    private(set) lazy var fallbackIdentityKey = SecurityKey(made: random(16))

    /// A manager for links that its owner tells it of.
    public convenience init(_ configuration: SecurityConfiguration = .init(), bonds: any BondStore) {
        self.init(configuration, bonds: bonds, random: SecurityRandom.system)
    }

    package init(_ configuration: SecurityConfiguration, bonds: any BondStore, random: @escaping SecurityRandom.Source)
    {
        self.configuration = configuration
        self.bonds = bonds
        self.random = random
    }

    // MARK: Pairing

    /// Brings a link to a level of protection, by the key of a bond where that is enough, else by pairing. As
    /// peripheral, by asking the central to.
    ///
    /// Any number of callers can wait for one link; what they ask for is done once. It is done at once where the link
    /// is there already.
    ///
    /// - Parameters:
    ///   - asksConsent: whether the user is asked before a pairing in which there is nothing to compare, because
    ///     nobody here asked for pairing itself.
    ///   - owner: on whose behalf; ``owner(on:)`` gives it back while a pairing that this call began runs.
    ///   - completion: called exactly once, with what the link has then, or with why it is less:
    ///     ``RadioError/security(_:)`` says what happened and what to do about it.
    public func secure(
        _ link: any SecurityLink, to level: LinkSecurity.Level = .encrypted, asksConsent: Bool = false,
        for owner: AnyObject? = nil, completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard let session = session(of: link) else { return completion(.failure(.notConnected)) }
        session.secure(to: level, asksConsent: asksConsent, for: owner, completion: completion)
    }

    /// On whose behalf the pairing on a link runs; nil where the peer began it, or none runs.
    public func owner(on link: any SecurityLink) -> AnyObject? { session(of: link)?.owner }

    /// Pairs, or encrypts the link with the keys of an earlier pairing; ``secure(_:to:completion:)`` with the level
    /// that the configuration wants.
    public func pair(
        _ link: any SecurityLink, completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        secure(
            link, to: max(.encrypted, session(of: link)?.minimumLevel ?? configuration.minimumLevel),
            completion: completion)
    }

    /// Encrypts a link to a bonded device with the bond's key, and never pairs; for a peripheral, asks the central to.
    public func encrypt(
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

    /// Calls `completion` as soon as what comes over the link can be believed: at once for a stranger, and for a bonded
    /// device once the link is encrypted with its key. Ask this before the first GATT operation.
    public func whenTrusted(
        _ link: any SecurityLink, completion: @escaping (Result<LinkSecurity, RadioError>) -> Void
    ) {
        guard trust(in: link) == .unproven else { return completion(.success(link.security)) }
        encrypt(link, completion: completion)
    }

    /// Whether what comes over a link can be believed.
    public func trust(in link: any SecurityLink) -> LinkTrust {
        guard link.security.level == .none else { return .proven }
        return session(of: link)?.bond == nil ? .stranger : .unproven
    }

    /// Whether the peer did not know the key of the bond: nothing is believed or paired before the user decides.
    public func hasPeerLostBond(on link: any SecurityLink) -> Bool { session(of: link)?.peerLostBond ?? false }

    /// Gives up a pairing, or waiting for one: whoever waits hears ``RadioError/cancelled``, and the peer is told.
    public func cancelPairing(on link: any SecurityLink) { session(of: link)?.cancel() }

    /// Tells the peer what the user does while entering its passkey, where both sides agreed on that.
    public func tell(_ keypress: Keypress, on link: any SecurityLink) { session(of: link)?.tell(keypress) }

    /// Makes data for a peer to get another way than over this radio. It commits us to a key pair for one pairing; new
    /// data takes the place of what was made before.
    public func makeOutOfBandData() -> OutOfBandData {
        let local = LocalOutOfBandData(from: random)
        localOutOfBand = local
        return local.data
    }

    /// Takes what came from a peer another way than over this radio, for its next pairing; nil takes it back.
    ///
    /// - Parameter peer: the address under which the peer is known; nil for whoever pairs next.
    public func use(_ data: PeerOutOfBandData?, of peer: BluetoothAddress?) {
        if let data, givenOutOfBand.count < 256 || givenOutOfBand[peer] != nil {
            givenOutOfBand[peer] = data
        } else {
            givenOutOfBand[peer] = nil
        }
    }

    /// What came from a peer another way.
    func outOfBandData(of identity: BluetoothAddress, at address: BluetoothAddress) -> PeerOutOfBandData? {
        configuration.outOfBandData?(identity) ?? givenOutOfBand[identity] ?? givenOutOfBand[address]
            ?? givenOutOfBand[nil]
    }

    /// A pairing succeeded: what came another way was good for that one.
    func forgetOutOfBandData(of identity: BluetoothAddress, at address: BluetoothAddress) {
        for key in [identity, address, nil] { givenOutOfBand[key] = nil }
    }

    func takeLocalOutOfBandData() -> LocalOutOfBandData? {
        defer { localOutOfBand = nil }
        return localOutOfBand
    }

    /// Sets a fixed passkey anew: its failed attempts are forgotten, and it is accepted again.
    /// - Throws: what keeps that from being written.
    public func allowPasskey(_ passkey: UInt32) throws(RadioError) {
        try passkeyLimiter.reset(passkey)
        blockedPasskeys.remove(passkey)
    }

    /// An attempt on a fixed passkey failed, or was refused: the delegate hears once that no further one is allowed.
    func attemptFailed(on passkey: UInt32, _ link: any SecurityLink) {
        guard !passkeyLimiter.allows(passkey), blockedPasskeys.insert(passkey).inserted else { return }
        delegate?.securityManager(self, blockedPasskeyOn: link)
    }

    // MARK: From below

    /// A link is up. The caller hands what comes on the security manager's channel to the result, and tells it of the
    /// end of the link.
    @discardableResult
    public func opened(_ link: any SecurityLink) -> any SecurityChannel {
        let session = SecuritySession(link: link, manager: self)
        sessions[ObjectIdentifier(link)] = session
        session.begin()
        return session
    }

    /// A link is known to everybody now: one to a bonded device is encrypted.
    public func started(_ link: any SecurityLink) {
        guard configuration.encryptsKnownPeers, link.role == .central, link.isOpen, trust(in: link) == .unproven,
            let session = session(of: link)
        else { return }
        session.encryptAtOnce()
    }

    func closed(_ session: SecuritySession, of link: any SecurityLink) {
        let key = ObjectIdentifier(link)
        if sessions[key] === session { sessions[key] = nil }
    }

    /// The host is gone, and will tell of no link any more.
    func abandon() { sessions = [:] }

    func session(of link: any SecurityLink) -> SecuritySession? { sessions[ObjectIdentifier(link)] }

    /// What a link has once its encryption is on or off, as the controller just said.
    public func security(
        of link: any SecurityLink, isEncrypted: Bool, keySize: UInt8?
    ) -> LinkSecurity? {
        session(of: link)?.security(isEncrypted: isEncrypted, keySize: keySize)
    }

    /// The controller said that a link's encryption is on or off, and ``SecurityLink/security`` says the same; or that
    /// the change failed.
    public func encryptionChanged(on link: any SecurityLink, _ status: HCIStatus) {
        session(of: link)?.encryptionChanged(status)
    }

    /// Peripheral: the central wants to encrypt with the key of this name; nil where it is not known.
    public func longTermKey(
        on link: any SecurityLink, randomNumber: UInt64, diversifier: UInt16
    ) -> SecurityKey? {
        session(of: link)?.longTermKey(randomNumber: randomNumber, diversifier: diversifier)
    }
}
