import BluetoothModel
import BluetoothRuntime

/// What the security manager needs of a link. ``LELink`` is one.
public protocol SecurityLink: AnyObject {
    /// Which side of the link this host is.
    var role: LinkRole { get }
    /// The address that this host was reached at, or connected with; its identity where the controller made another
    /// one of it.
    var ownAddress: BluetoothAddress { get }
    /// The peer's address: its identity where the controller resolved it.
    var peerAddress: BluetoothAddress { get }
    /// Our address as it was on the air when the link was made: what keys are bound to.
    var ownAirAddress: BluetoothAddress { get }
    /// The peer's address as it was on the air when the link was made.
    var peerAirAddress: BluetoothAddress { get }
    /// What resolves the private addresses of the device that this host plays on the link; nil for the host's key.
    var ownIdentityKey: SecurityKey? { get }
    /// How well the link is protected.
    var security: LinkSecurity { get }
    /// Whether the link can be used.
    var isOpen: Bool { get }
    /// The time of the event that the stack is working on.
    var now: RadioInstant { get }
    /// The timers of the stack that owns the link.
    var timers: TimerQueue { get }

    /// Sets what is known of the protection, and tells whoever depends on it.
    func change(security: LinkSecurity)
    /// Sends a frame.
    func send(cid: UInt16, _ payload: ByteView)
    /// As central: encrypts the link with a key of 16 octets, least significant first.
    func startEncryption(
        key: [UInt8], randomNumber: UInt64, diversifier: UInt16,
        completion: @escaping (Result<LinkSecurity, RadioError>) -> Void)
    /// Ends the link.
    func disconnect(reason: HCIStatus)
    /// Counts a packet of the security manager that was of no use.
    func securityPacketDropped()
}

extension SecurityLink {
    /// The host's.
    public var ownIdentityKey: SecurityKey? { nil }
}

extension LELink: SecurityLink {
    /// The key of the identity's private addresses.
    public var ownIdentityKey: SecurityKey? { identity?.privacy?.key }
    /// Counts it among the faults of the link.
    public func securityPacketDropped() { l2cap.faults.add(.unexpectedSecurity) }
}
