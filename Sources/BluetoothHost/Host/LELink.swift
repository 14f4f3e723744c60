import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// One connection to a peer, in either role.
///
/// Every completion of its methods is called exactly once: with the result, with the controller's or the peer's
/// refusal, or with the error that ended the link.
public final class LELink {
    enum State: Hashable {
        case open
        /// Nothing more is taken; what was taken before goes out first.
        case draining(HCIStatus)
        case disconnecting(HCIStatus)
        case closed
    }

    /// The connection handle, 0x0000 to 0x0EFF.
    public let handle: UInt16
    /// Which side of the link this host is.
    public let role: LinkRole
    /// The peer's address: its identity where the controller resolved it.
    public let peerAddress: BluetoothAddress
    /// The address that this host uses on the link; the identity of a device with private addresses of its own.
    public let ownAddress: BluetoothAddress
    /// Our address as it was on the air when the link was made.
    public let ownAirAddress: BluetoothAddress
    /// The peer's address as it was on the air when the link was made.
    public let peerAirAddress: BluetoothAddress
    /// The device that this host plays on the link; nil as central.
    public let identity: LocalIdentity?
    /// How often both sides meet.
    public internal(set) var parameters: ConnectionParameters
    /// The physical layers; 1M until the controller says otherwise.
    public internal(set) var phy = LinkPHY(transmit: .le1M, receive: .le1M)
    /// How much one packet carries.
    public internal(set) var dataLength = LinkDataLength.initial
    /// How well the link is protected. Pairing refines what encryption alone tells.
    public var security: LinkSecurity { protection }
    /// The features of the peer's link layer; nil until they were read.
    public internal(set) var remoteFeatures: LEFeatures?
    /// Signalling, ATT, and channels on the link.
    public private(set) lazy var l2cap = L2CAPLink(
        transmitter: self, server: identity?.server ?? host?.centralServer, configuration: configuration)

    var state = State.open
    /// Not public, so that the compiler sees every access and leaves out its checks.
    var protection = LinkSecurity()
    let time: HostTime
    let acl: ACLScheduler
    /// nil once the link has ended, or the host is gone.
    unowned var host: LEHost?
    let procedures: LinkProcedures
    let reassembler: FrameReassembler
    /// What the scheduler of packets knows of the link.
    let flow = LinkFlow()
    let queueLimit: Int
    private let configuration: L2CAPLinkConfiguration
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

    /// Whether the link can be used: neither ended nor about to end.
    public var isOpen: Bool { state == .open }

    /// Whether the controller still has the link.
    var isUp: Bool { state != .closed }

    /// How long what was sent before a disconnection may take to go out; a peer that hears nothing is not waited for.
    private static let drainingTime = Duration.seconds(1)

    /// Ends the link, after what was sent on it before. The peer is told `reason`;
    /// ``LEHostDelegate/host(_:disconnected:reason:)`` follows when it is down.
    public func disconnect(reason: HCIStatus = .remoteUserTerminated) {
        guard case .open = state, host != nil else { return }
        state = .draining(reason)
        guard flow.inFlight > 0 || flow.queuedBytes > 0 else { return drained() }
        flow.isDraining = true
        patience.arm(at: time.now + Self.drainingTime)
    }

    /// Ends the link and drops what waits: its peer takes nothing.
    func disconnectAtOnce(reason: HCIStatus) {
        guard case .open = state else { return }
        state = .draining(reason)
        flow.drop()
        drained()
    }

    /// Everything went out, or had its time to.
    func drained() {
        guard case .draining(let reason) = state, let host else { return }
        flow.isDraining = false
        state = .disconnecting(reason)
        // Without an answer of the peer the controller gives up after the supervision timeout.
        patience.arm(at: time.now + parameters.supervisionDuration + .seconds(10))
        host.commands.run(
            .disconnect,
            write: {
                $0.uint16(self.handle)
                $0.uint8(reason.rawValue)
            }
        ) { [self] result in
            // Where the controller knows no such link, no event will come.
            guard case .failure(.controller) = result else { return }
            lostByController()
        }
    }

    private func patienceEnded() {
        if case .draining = state { drained() } else { lostByController() }
    }

    /// Runs when the link is in the table: the channels above it begin.
    func begin() {
        let l2cap = l2cap
        if let manager = host?.securityManager { l2cap.securityChannel = manager.opened(self) }
    }

    /// The controller could not end the link, so it is still there.
    func disconnectionFailed() {
        guard case .disconnecting = state else { return }
        patience.disarm()
        state = .open
    }

    private func lostByController() {
        guard isUp else { return }
        host?.linkEnded(handle, reason: .localHostTerminated)
    }

    /// The link is gone: everything pending ends with `error`.
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
    /// Whether both are the same link.
    public static func == (left: LELink, right: LELink) -> Bool { left === right }

    /// Hashes the identity of the link.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
