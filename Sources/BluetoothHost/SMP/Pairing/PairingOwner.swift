import BluetoothModel

/// The owner of a pairing. The pairing makes the last two calls as the last action of a step.
protocol PairingOwner: AnyObject {
    func send(_ packet: SecurityPacket)
    func heard(_ keypress: Keypress)
    /// A step begins. The pairing continues afterwards, so the owner only reports it.
    func reached(_ step: PairingStep)
    func drop(_ packet: SecurityPacket)
    /// Encrypts the link with the key, as central, and notifies the pairing.
    func encrypt(with key: PairingKey, strength: KeyStrength)
    /// Creates the keys that the local side distributes.
    func makeKeys(_ kinds: KeyDistribution, size: UInt8) -> DistributedKeys
    /// Returns the part of the peer's identity information that applies to its link, and the bond it would replace.
    func adopted(_ keys: DistributedKeys) -> (keys: DistributedKeys, bond: Bond?)
    /// Returns the existing bond of the peer's identity that the peer has not proved to be its own.
    var contestedBond: Bond? { get }
    /// The program decided to replace a bond.
    func permitReplacement(of bond: Bond)
    /// Removes and returns the local out-of-band data, which is valid for one pairing.
    func takeLocalOutOfBandData() -> LocalOutOfBandData?
    func ask(_ question: SecurityQuestion)
    func pairingEnded(_ result: Result<KeyExchange, PairingFailure>)
}
