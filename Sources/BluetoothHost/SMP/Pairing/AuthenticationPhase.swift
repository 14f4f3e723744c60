import BluetoothModel

/// The second phase of a pairing: key agreement and authentication (Core 6.0, Vol 3, Part H, 2.3.5).
protocol AuthenticationPhase: AnyObject {
    /// Starts the phase; its results are passed to the ``PhaseOwner``.
    func start()
    /// Processes a packet other than those that end or accompany any pairing.
    func receive(_ packet: SecurityPacket)
    /// Handles the user's answer to the last question.
    func answered(_ answer: SecurityAnswer)
}

/// The owner of a phase. A phase makes each call as the last action of a step, because the call may reenter the phase.
protocol PhaseOwner: AnyObject {
    func send(_ packet: SecurityPacket)
    func ask(_ question: SecurityQuestion)
    /// Called before anything that the peer sent is compared with a passkey. If it returns false, the phase calls
    /// ``block()``. This call does not reenter the phase.
    func admitsAttempt(on passkey: UInt32) -> Bool
    /// Ends the pairing because the passkey is blocked, and sends Pairing Failed.
    func block()
    /// Reports the key that both sides agreed on, at its full length.
    func agreed(on key: [UInt8], isDebug: Bool)
    /// Ends the pairing with an error, and sends Pairing Failed.
    func fail(_ reason: PairingFailureReason)
    /// Ends the pairing because the user refused, and sends Pairing Failed.
    func cancel(_ reason: PairingFailureReason)
}

/// The parameters of a phase.
struct PhaseContext {
    let role: LinkRole
    let agreement: PairingAgreement
    /// The addresses with which the link was established.
    let ownAddress: BluetoothAddress
    let peerAddress: BluetoothAddress
    let outOfBand: PeerOutOfBandData?
    /// The local out-of-band data, if the peer has it.
    let localOutOfBand: LocalOutOfBandData?
    let allowsDebugKey: Bool
    /// True if the local side uses the debug key.
    let usesDebugKey: Bool
    /// The fixed passkey to display; nil for a random one.
    let passkey: UInt32?
    let random: SecurityRandom.Source

    var centralAddress: BluetoothAddress { role == .central ? ownAddress : peerAddress }
    var peripheralAddress: BluetoothAddress { role == .central ? peerAddress : ownAddress }

    /// Returns the passkey to display: the fixed one, or a random one.
    func makePasskey() -> UInt32 { passkey ?? SecurityRandom.number(below: 1_000_000, from: random) }
}
