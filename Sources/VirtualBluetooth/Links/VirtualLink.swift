import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// A connection between two virtual controllers.
public final class VirtualLink {
    /// A link layer procedure that waits for a host.
    enum Procedure {
        case none
        /// The peripheral requested parameters, and the central's host has to answer.
        case parameterRequest
    }

    /// Work of the link layer at a later connection event.
    struct Action {
        var event: Int64
        var run: () -> Void
    }

    let air: VirtualAir
    private var centralSide: LinkEnd?
    private var peripheralSide: LinkEnd?

    /// The connection interval, peripheral latency and supervision timeout.
    public internal(set) var parameters: ConnectionParameters
    /// The number of ACL packets that its hosts have sent over it.
    public var packetCount: Int { sentPackets }
    /// The faults that this link injects.
    public var faults = InjectedLinkFaults() {
        didSet {
            packetLimit = faults.disconnectAtPacket ?? .max
            if faults != oldValue { air.perform { [weak self] _ in self?.conditionsChanged() } }
        }
    }

    var sentPackets = 0
    /// The number of the packet that ends the link.
    private(set) var packetLimit = Int.max

    var procedure = Procedure.none
    var actions: [Action] = []
    /// The time from which connection events are counted.
    var anchor: RadioInstant
    /// The last event that the peripheral attended.
    var lastAttended: Int64 = 0
    /// True while data is delivered at once, the usual case.
    var isDirect = true
    /// True while data needs no cipher and no tap: encryption was never requested, and no tap was set.
    var isPlain = true
    /// Intercepts and modifies packets; for tests.
    var tap: LinkTap? { didSet { isPlain = false } }
    /// The payload buffer of the current packet, reused by the next one.
    var airBytes: [UInt8] = []
    /// True while no packet crosses the link, for any reason.
    private(set) var isSilent = false
    /// The reason that both hosts receive when the silence lasts until the timeout.
    private var silenceReason = HCIStatus.connectionTimeout
    private(set) var isClosed = false
    lazy var eventTimer = makeTimer { $0.runEvent() }
    private lazy var silenceTimer = makeTimer { $0.silenceLasted() }
    // A timer runs on both sides from the same packet on, so both sides leave at the same time.
    private lazy var procedureTimer = makeTimer { $0.end(reason: .llResponseTimeout) }
    private var encryptionTimer: QueuedTimer?
    private var neverHeard = false

    /// The procedure response timeout (Core 6.0, Vol 6, Part B, 5.2).
    private static let procedureTimeout = Duration.seconds(40)

    init(
        air: VirtualAir, central: (controller: VirtualController, addresses: LinkAddresses),
        peripheral: (controller: VirtualController, addresses: LinkAddresses), parameters: ConnectionParameters
    ) {
        self.air = air
        self.parameters = parameters
        anchor = air.loop.now
        faults = central.controller.faults.link
        if faults == InjectedLinkFaults() { faults = peripheral.controller.faults.link }
        packetLimit = faults.disconnectAtPacket ?? .max
        centralSide = LinkEnd(
            controller: central.controller, link: self, role: .central, addresses: central.addresses)
        peripheralSide = LinkEnd(
            controller: peripheral.controller, link: self, role: .peripheral, addresses: peripheral.addresses)
    }

    private func makeTimer(_ fire: @escaping (VirtualLink) -> Void) -> QueuedTimer {
        air.loop.makeTimer { [weak self] in
            self?.air.perform { _ in
                guard let self, !self.isClosed else { return }
                fire(self)
            }
        }
    }

    // Both are set by `init` and never change. They are optional only because the ends need the link in their
    // initializers, so unwrapping them without a check is safe.
    var central: LinkEnd { centralSide.unsafelyUnwrapped }
    var peripheral: LinkEnd { peripheralSide.unsafelyUnwrapped }

    func other(_ end: LinkEnd) -> LinkEnd { end.role == .central ? peripheral : central }

    /// The controller of the peripheral side.
    public var peripheralController: VirtualController { peripheral.controller }
    /// The connection handle of the central's host.
    public var centralHandle: UInt16 { central.handle }
    /// The connection handle of the peripheral's host.
    public var peripheralHandle: UInt16 { peripheral.handle }

    var ends: [LinkEnd] { [central, peripheral] }

    /// Returns true if both controllers have all of these features.
    func bothSupport(_ features: LEFeatures) -> Bool {
        ends.allSatisfy { $0.controller.configuration.features.isSuperset(of: features) }
    }

    // MARK: Silence

    /// Simulates a peripheral that never received the central's packets: the link ends after six connection intervals
    /// or, without pacing, at once.
    func setNeverHeard() {
        neverHeard = true
        silenceReason = .failedToEstablish
        conditionsChanged()
    }

    /// Reevaluates the link after a change of a fault, a position or the pace.
    func conditionsChanged() {
        guard !isClosed else { return }
        let hears =
            !neverHeard && !faults.isSilent
            && ends.allSatisfy { !$0.controller.faults.isSilent && $0.isAttached && isAudible(at: $0) }
        if hears == isSilent {
            isSilent = !hears
            if isSilent { silenceTimer.arm(at: air.loop.now + timeoutOfSilence) } else { silenceTimer.disarm() }
        }
        isDirect = hears && air.pace.packetsPerEvent == nil && totalDelay == .zero
        schedule()
    }

    private var timeoutOfSilence: Duration {
        guard neverHeard else { return parameters.supervisionTimeout }
        return air.pace.packetsPerEvent == nil ? .zero : parameters.interval * 6
    }

    private func isAudible(at end: LinkEnd) -> Bool {
        air.propagation.isAudible(strength(at: end))
    }

    /// The signal strength of the other side at `end`, in dBm.
    func strength(at end: LinkEnd) -> Int8 {
        let sender = other(end).controller
        return air.strength(from: sender, txPower: sender.configuration.txPower, to: end.controller)
    }

    /// The total injected delay of data.
    var totalDelay: Duration {
        ends.reduce(faults.delay) { $0 + $1.controller.faults.delay }
    }

    private func silenceLasted() {
        let reason = silenceReason
        close { $0.isTerminating ? .localHostTerminated : reason }
    }

    /// Restarts the supervision timer after a change of the timeout.
    func supervisionChanged() {
        if isSilent { silenceTimer.arm(at: air.loop.now + timeoutOfSilence) }
    }

    // MARK: The end

    /// Ends the link; both hosts receive `reason`.
    func end(reason: HCIStatus) { close { _ in reason } }

    /// Ends the link at once with a connection timeout for both hosts, as after a loss of the radio signal.
    package func cut() { air.perform { [weak self] _ in self?.end(reason: .connectionTimeout) } }

    /// Ends the link at the request of `end`. If the other side receives nothing, the supervision timeout ends it.
    func terminate(from end: LinkEnd, reason: HCIStatus) {
        end.isTerminating = true
        perform(from: end) { [unowned self] in close { $0 === end ? .localHostTerminated : reason } }
    }

    /// Removes one side without notifying either host.
    func abandon(_ end: LinkEnd) {
        detach(end)
        if ends.contains(where: \.isAttached) { conditionsChanged() } else { forget() }
    }

    /// Removes one side without notifying the other, and reports `reason` to its host.
    func leave(_ end: LinkEnd, reason: HCIStatus) {
        guard end.isAttached else { return }
        let handle = end.handle
        abandon(end)
        end.controller.sendDisconnection(handle: handle, reason: reason)
    }

    private func close(_ reason: (LinkEnd) -> HCIStatus) {
        guard !isClosed else { return }
        isClosed = true
        for end in ends where end.isAttached {
            let handle = end.handle
            detach(end)
            end.controller.sendDisconnection(handle: handle, reason: reason(end))
        }
        forget()
    }

    private func detach(_ end: LinkEnd) {
        guard end.isAttached else { return }
        end.isAttached = false
        end.removeAllPending()
        end.controller.forget(end)
    }

    private func forget() {
        isClosed = true
        procedure = .none
        actions = []
        silenceTimer.disarm()
        procedureTimer.disarm()
        encryptionTimer?.disarm()
        eventTimer.disarm()
        air.remove(self)
        // Last, because the ends may hold the last reference to the link.
        for end in ends { end.leave() }
    }

    // MARK: Procedures

    /// Starts a procedure that waits for a host. Without an answer the link ends with status 0x22.
    func begin(_ procedure: Procedure) {
        self.procedure = procedure
        procedureTimer.arm(at: air.loop.now + Self.procedureTimeout)
    }

    func endProcedure() {
        procedure = .none
        procedureTimer.disarm()
    }

    /// Starts or restarts the timeout for the next PDU of an encryption procedure.
    func watchEncryption() {
        let timer = encryptionTimer ?? makeTimer { $0.end(reason: .llResponseTimeout) }
        encryptionTimer = timer
        timer.arm(at: air.loop.now + Self.procedureTimeout)
    }

    func stopWatchingEncryption() { encryptionTimer?.disarm() }
}
