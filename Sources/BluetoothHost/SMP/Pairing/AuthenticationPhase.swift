import BluetoothModel

/// The second phase of a pairing: both sides come to a key and make sure of each other
/// (Core 6.0, Vol 3, Part H, 2.3.5).
protocol AuthenticationPhase: AnyObject {
    /// Begins; what it leads to goes to the ``PhaseOwner``.
    func start()
    /// A packet that is not one of those that end or accompany any pairing.
    func receive(_ packet: SecurityPacket)
    /// The user answered the question that was asked last.
    func answered(_ answer: SecurityAnswer)
}

/// Who runs a phase. Each call is the last thing that the phase does in a step, as it may lead back into the phase.
protocol PhaseOwner: AnyObject {
    func send(_ packet: SecurityPacket)
    func ask(_ question: SecurityQuestion)
    /// Asked before anything that the peer sent is compared with a passkey; false where that must not be: the phase
    /// then calls ``block()``. This call leads nowhere.
    func admitsAttempt(on passkey: UInt32) -> Bool
    /// The passkey may not be tried any more; the peer is told that pairing failed.
    func block()
    /// Both sides have the same key, still at its full length.
    func agreed(on key: [UInt8], isDebug: Bool)
    /// It cannot go on; the peer is told.
    func fail(_ reason: PairingFailureReason)
    /// The user refused; the peer is told.
    func cancel(_ reason: PairingFailureReason)
}

/// What a phase needs to know.
struct PhaseContext {
    let role: LinkRole
    let agreement: PairingAgreement
    /// The addresses with which the link was made.
    let ownAddress: BluetoothAddress
    let peerAddress: BluetoothAddress
    let outOfBand: PeerOutOfBandData?
    /// Our own data, where the peer says that it has it.
    let localOutOfBand: LocalOutOfBandData?
    let allowsDebugKey: Bool
    /// Whether we use the debug key ourselves.
    let usesDebugKey: Bool
    /// The passkey to show; nil for a fresh one.
    let passkey: UInt32?
    let random: SecurityRandom.Source

    var centralAddress: BluetoothAddress { role == .central ? ownAddress : peerAddress }
    var peripheralAddress: BluetoothAddress { role == .central ? peerAddress : ownAddress }

    /// The passkey to show: the one of the device, or a fresh one.
    func makePasskey() -> UInt32 { passkey ?? SecurityRandom.number(below: 1_000_000, from: random) }
}
