import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// A connection between two virtual controllers.
public final class VirtualLink {
    /// A link layer procedure that waits for a host.
    enum Procedure {
        case none
        /// The peripheral asked for parameters, and the central's host has to answer.
        case parameterRequest
    }

    /// Something that the link layer does at a later connection event.
    struct Action {
        var event: Int64
        var run: () -> Void
    }

    let air: VirtualAir
    private var centralSide: LinkEnd?
    private var peripheralSide: LinkEnd?

    /// How often the two meet, and when they give up.
    public internal(set) var parameters: ConnectionParameters
    /// How many ACL packets its hosts sent over it.
    public var packetCount: Int { sentPackets }
    /// What goes wrong with it.
    public var faults = LinkFaults() {
        didSet {
            packetLimit = faults.disconnectAtPacket ?? .max
            if faults != oldValue { air.perform { [weak self] _ in self?.conditionsChanged() } }
        }
    }

    var sentPackets = 0
    /// The packet at which the link ends.
    private(set) var packetLimit = Int.max

    var procedure = Procedure.none
    var actions: [Action] = []
    /// Connection events are counted from here.
    var anchor: RadioInstant
    /// The last event that the peripheral attended.
    var lastAttended: Int64 = 0
    /// Whether data crosses at once, the usual case.
    var isDirect = true
    /// Whether data crosses as it is: nobody has asked for encryption so far, and nobody listens.
    var isPlain = true
    /// Listens to the link, and interferes; for tests.
    var tap: LinkTap? { didSet { isPlain = false } }
    /// The payload of the packet on its way, kept for the next one.
    var airBytes: [UInt8] = []
    /// Whether nothing crosses, whatever the reason.
    private(set) var isSilent = false
    /// What both hosts are told when the silence lasts.
    private var silenceReason = HCIStatus.connectionTimeout
    private(set) var isClosed = false
    lazy var eventTimer = makeTimer { $0.runEvent() }
    private lazy var silenceTimer = makeTimer { $0.silenceLasted() }
    // Each runs on both sides from the same packet on, so both sides leave at the same time.
    private lazy var procedureTimer = makeTimer { $0.end(reason: .llResponseTimeout) }
    private var encryptionTimer: QueuedTimer?
    private var neverHeard = false

    /// How long the link layer waits for a host on the other side (Core 6.0, Vol 6, Part B, 5.2).
    private static let procedureTimeout = Duration.seconds(40)

    init(
        air: VirtualAir, central: (controller: VirtualController, addresses: LinkAddresses),
        peripheral: (controller: VirtualController, addresses: LinkAddresses), parameters: ConnectionParameters
    ) {
        self.air = air
        self.parameters = parameters
        anchor = air.loop.now
        faults = central.controller.faults.link
        if faults == LinkFaults() { faults = peripheral.controller.faults.link }
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

    // Both are set by `init` and stay for the life of the link; they are optional because each knows the link.
    var central: LinkEnd { centralSide.unsafelyUnwrapped }
    var peripheral: LinkEnd { peripheralSide.unsafelyUnwrapped }

    func other(_ end: LinkEnd) -> LinkEnd { end.role == .central ? peripheral : central }

    /// The controller of the central side.
    public var centralController: VirtualController { central.controller }
    /// The controller of the peripheral side.
    public var peripheralController: VirtualController { peripheral.controller }
    /// The connection handle of the central's host.
    public var centralHandle: UInt16 { central.handle }
    /// The connection handle of the peripheral's host.
    public var peripheralHandle: UInt16 { peripheral.handle }

    var ends: [LinkEnd] { [central, peripheral] }

    /// Whether the link layers of both sides have all of these features.
    func bothSupport(_ features: LEFeatures) -> Bool {
        ends.allSatisfy { $0.controller.configuration.features.isSuperset(of: features) }
    }

    // MARK: Silence

    /// A peripheral that never heard the central: the link ends by itself, after six intervals or, unpaced, at once.
    func setNeverHeard() {
        neverHeard = true
        silenceReason = .failedToEstablish
        conditionsChanged()
    }

    /// A fault, a position or the pace changed.
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
        guard neverHeard else { return parameters.supervisionDuration }
        return air.pace.packetsPerEvent == nil ? .zero : parameters.intervalDuration * 6
    }

    private func isAudible(at end: LinkEnd) -> Bool {
        air.propagation.isAudible(strength(at: end))
    }

    /// The strength at which `end` hears the other side.
    func strength(at end: LinkEnd) -> Int8 {
        let sender = other(end).controller
        return air.strength(from: sender, txPower: sender.configuration.txPower, to: end.controller)
    }

    /// How much later than it should data arrives.
    var totalDelay: Duration {
        ends.reduce(faults.delay) { $0 + $1.controller.faults.delay }
    }

    private func silenceLasted() {
        let reason = silenceReason
        close { $0.isTerminating ? .localHostTerminated : reason }
    }

    /// Starts the supervision timer anew: the timeout changed.
    func supervisionChanged() {
        if isSilent { silenceTimer.arm(at: air.loop.now + timeoutOfSilence) }
    }

    // MARK: The end

    /// Ends the link; both hosts are told `reason`.
    func end(reason: HCIStatus) { close { _ in reason } }

    /// Ends the link at once, as if the two had lost each other: both hosts are told of a connection timeout.
    package func cut() { air.perform { [weak self] _ in self?.end(reason: .connectionTimeout) } }

    /// Ends the link as `end` wants it, or lets the supervision timeout do it where the other side hears nothing.
    func terminate(from end: LinkEnd, reason: HCIStatus) {
        end.isTerminating = true
        perform(from: end) { [unowned self] in close { $0 === end ? .localHostTerminated : reason } }
    }

    /// One side is gone without a word.
    func abandon(_ end: LinkEnd) {
        detach(end)
        if ends.contains(where: \.isAttached) { conditionsChanged() } else { forget() }
    }

    /// One side is gone without a word, and its host is told why.
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
        // Last, because it may have kept the link alive.
        for end in ends { end.leave() }
    }

    // MARK: Procedures

    /// Waits for a host on the other side; without an answer the link ends with status 0x22.
    func begin(_ procedure: Procedure) {
        self.procedure = procedure
        procedureTimer.arm(at: air.loop.now + Self.procedureTimeout)
    }

    func endProcedure() {
        procedure = .none
        procedureTimer.disarm()
    }

    /// Starts, or starts anew, the time that the next packet about encryption may take.
    func watchEncryption() {
        let timer = encryptionTimer ?? makeTimer { $0.end(reason: .llResponseTimeout) }
        encryptionTimer = timer
        timer.arm(at: air.loop.now + Self.procedureTimeout)
    }

    func stopWatchingEncryption() { encryptionTimer?.disarm() }
}
