import BluetoothModel

/// Who runs a pairing. The last two calls are the last thing that the pairing does in a step.
protocol PairingOwner: AnyObject {
    func send(_ packet: SecurityPacket)
    func heard(_ keypress: Keypress)
    func drop(_ packet: SecurityPacket)
    /// As central: encrypts the link with the key, and tells the pairing.
    func encrypt(with key: PairingKey, strength: KeyStrength)
    /// What this side hands over.
    func makeKeys(_ kinds: KeyDistribution, size: UInt8) -> DistributedKeys
    /// Whether a device that claims this identity may take the place of what is known of it.
    func accepts(_ identity: BluetoothAddress, _ strength: KeyStrength) -> Bool
    /// Our own data out of band, which is good for one pairing.
    func takeLocalOutOfBandData() -> LocalOutOfBandData?
    func ask(_ question: SecurityQuestion)
    func pairingEnded(_ result: Result<KeyExchange, PairingFailure>)
}
