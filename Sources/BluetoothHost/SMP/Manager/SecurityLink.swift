import BluetoothModel
import BluetoothRuntime

/// The interface of a link that the security manager uses. ``LELink`` conforms to it.
package protocol SecurityLink: AnyObject {
    /// The role of this host on the link.
    var role: LinkRole { get }
    /// The own address of the link; the identity address if the controller replaced it by a private one.
    var ownAddress: BluetoothAddress { get }
    /// The peer's address; the identity address if the controller resolved it.
    var peerAddress: BluetoothAddress { get }
    /// The own address in the packets that established the link, to which keys are bound.
    var ownAirAddress: BluetoothAddress { get }
    /// The peer's address in the packets that established the link.
    var peerAirAddress: BluetoothAddress { get }
    /// The identity resolving key of the local device on this link; nil for the host's key.
    var ownIdentityKey: SecurityKey? { get }
    /// The current security of the link.
    var security: LinkSecurity { get }
    /// True while the link can be used.
    var isOpen: Bool { get }
    /// The time of the event that is being processed.
    var now: RadioInstant { get }
    /// The timers of the stack that owns the link.
    var timers: TimerQueue { get }

    /// Sets the security of the link and notifies its users.
    func change(security: LinkSecurity)
    /// Sends a frame.
    func send(cid: UInt16, _ payload: ByteView)
    /// Encrypts the link as central, with a key of 16 octets, least significant first.
    func startEncryption(
        key: [UInt8], randomNumber: UInt64, diversifier: UInt16,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void)
    /// Disconnects the link.
    func disconnect(reason: HCIStatus)
    /// Counts a security manager packet that was dropped.
    func securityPacketDropped()
}

extension SecurityLink {
    /// nil: the host's key is used.
    package var ownIdentityKey: SecurityKey? { nil }
}

extension LELink: SecurityLink {
    /// The identity resolving key of the link's identity.
    package var ownIdentityKey: SecurityKey? { identity?.privacy?.key }
    /// Counts a dropped packet in the faults of the link.
    package func securityPacketDropped() { l2cap.faults.add(.unexpectedSecurity) }
}
