import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// A connection to a peer, in either role.
///
/// Every completion of its methods is called exactly once: with the result, with the error of the controller or the
/// peer, or with the error that ended the link.
package final class LELink {
    enum State: Hashable {
        case open
        /// New frames are not accepted; queued ones are sent before the disconnection.
        case draining(HCIStatus)
        case disconnecting(HCIStatus)
        case closed
    }

    /// The connection handle, 0x0000 to 0x0EFF.
    package let handle: UInt16
    /// The role of this host on the link.
    package let role: LinkRole
    /// The peer's address; the identity address if the controller resolved it.
    package let peerAddress: BluetoothAddress
    /// The own address on the link; the identity address of a device with its own private addresses.
    package let ownAddress: BluetoothAddress
    /// The own address in the packets that established the link.
    package let ownAirAddress: BluetoothAddress
    /// The peer's address in the packets that established the link.
    package let peerAirAddress: BluetoothAddress
    /// The device that this host represents on the link; nil as central.
    package let identity: LocalIdentity?
    /// The connection interval, latency and supervision timeout.
    package internal(set) var parameters: ConnectionParameters
    /// The PHYs; 1M until the controller reports others.
    package internal(set) var phy = LinkPHY(transmit: .le1M, receive: .le1M)
    /// The maximum packet lengths.
    package internal(set) var dataLength = LinkDataLength.initial
    /// The security of the link. Pairing adds details that encryption events do not contain.
    package var security: LinkSecurity { protection }
    /// The features of the peer's link layer; nil until they were read.
    package internal(set) var remoteFeatures: LEFeatures?
    /// The L2CAP layer of the link: signalling, ATT and channels.
    package private(set) lazy var l2cap = L2CAPLink(
        transmitter: self, server: identity?.server ?? host?.centralServer, configuration: configuration)
    /// ``l2cap``, which the link retains as long as it exists, without a reference count that each packet would change.
    private(set) lazy var channels = Unmanaged.passUnretained(l2cap)

    var state = State.open
    /// Not public, so that the compiler knows all accesses and can omit the checks for overlapping access.
    var protection = LinkSecurity()
    let time: HostTime
    let acl: ACLScheduler
    /// Proof of `unowned`: nil once the link has ended or the host's `deinit` has run.
    unowned var host: LEHost?
    let procedures: LinkProcedures
    let reassembler: FrameReassembler
    /// The state of the link in the ACL scheduler.
    let flow = LinkFlow()
    let queueLimit: Int
    private let configuration: L2CAPLinkConfiguration
    // Proof of `unowned`: the host retains the link until `close(_:)`, which disarms the timer for good.
    private lazy var patience = time.timers.makeTimer { [unowned self] in patienceEnded() }

    init(
        _ connection: LEConnection, ownAddress: BluetoothAddress, ownAirAddress: BluetoothAddress,
        identity: LocalIdentity?, host: LEHost
    ) {
        handle = connection.handle
        role = connection.role
        peerAddress = connection.peerAddress
        parameters = connection.parameters
        self.ownAddress = ownAddress
        self.ownAirAddress = connection.ownPrivateAddress ?? ownAirAddress
        peerAirAddress = connection.peerPrivateAddress ?? connection.peerAddress
        self.identity = identity
        self.host = host
        time = host.time
        acl = host.acl
        procedures = LinkProcedures(time: host.time)
        reassembler = FrameReassembler(limit: host.configuration.maximumFrameLength)
        queueLimit = host.configuration.linkQueueLimit
        configuration = identity?.linkConfiguration ?? host.linkConfiguration
    }

    /// The number of data packets that were passed to the controller.
    package var packetsSent: Int { flow.sent }
    /// The number of data packets that were received.
    package var packetsReceived: Int { flow.received }

    /// True while the link can be used: neither ended nor ending.
    package var isOpen: Bool { state == .open }

    /// True while the controller has the link.
    var isUp: Bool { state != .closed }

    /// The maximum time for sending queued packets before a disconnection.
    private static let drainingTime = Duration.seconds(1)

    /// Disconnects the link after its queued packets were sent. The peer receives `reason`;
    /// ``LEHostDelegate/host(_:disconnected:reason:)`` is called when the link is down.
    package func disconnect(reason: HCIStatus = .remoteUserTerminated) {
        guard case .open = state, host != nil else { return }
        state = .draining(reason)
        guard flow.inFlight > 0 || flow.queuedBytes > 0 else { return drained() }
        flow.isDraining = true
        patience.arm(at: time.now + Self.drainingTime)
    }

    /// Disconnects the link and drops its queued packets, because its peer does not accept packets.
    func disconnectAtOnce(reason: HCIStatus) {
        guard case .open = state else { return }
        state = .draining(reason)
        flow.drop()
        drained()
    }

    /// Sends the disconnection, after all packets were sent or the time for that has elapsed.
    func drained() {
        guard case .draining(let reason) = state, let host else { return }
        flow.isDraining = false
        state = .disconnecting(reason)
        // If the peer does not answer, the controller ends the link after the supervision timeout.
        patience.arm(at: time.now + parameters.supervisionTimeout + .seconds(10))
        host.commands.run(
            .disconnect, of: self,
            write: {
                $0.uint16(self.handle)
                $0.uint8(reason.rawValue)
            }
        ) { [self] result in
            // If the controller refuses, the link does not exist, and no event will follow.
            guard case .failure(.controller) = result else { return }
            lostByController()
        }
    }

    private func patienceEnded() {
        if case .draining = state { drained() } else { lostByController() }
    }

    /// Starts the upper layers once the link is in the table.
    func begin() {
        let l2cap = l2cap
        if let manager = host?.securityManager { l2cap.securityChannel = manager.opened(self) }
    }

    /// The controller failed to disconnect the link, which stays up.
    func disconnectionFailed() {
        guard case .disconnecting = state else { return }
        patience.disarm()
        state = .open
    }

    private func lostByController() {
        guard isUp else { return }
        host?.linkEnded(handle, reason: .localHostTerminated)
    }

    /// Closes the link after its end: all pending operations fail with `error`.
    func close(_ error: RadioError) {
        guard isUp else { return }
        state = .closed
        patience.disarm()
        flow.drop()
        procedures.close(error)
        l2cap.linkClosed(error)
        host = nil
    }
}

extension LELink: Hashable {
    /// Returns true if both are the same link.
    package static func == (left: LELink, right: LELink) -> Bool { left === right }

    /// Hashes the identity of the link.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
