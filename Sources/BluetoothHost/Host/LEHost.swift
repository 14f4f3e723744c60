import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// A Bluetooth Low Energy host on one controller: GAP, GATT, ATT, L2CAP and HCI, in both roles.
///
/// It does no input or output. Its driver hands it each packet of the controller with ``receive(_:now:)``, calls
/// ``advance(to:)`` at ``nextDeadline``, and takes what it sends from the closure that
/// ``init(configuration:send:)`` gets.
/// It is confined to one thread and never entered again while it sends: the driver queues what comes back.
///
/// Before any other call the driver sets ``now``, so that timeouts begin at the right moment.
public final class LEHost {
    /// What the host was told at the beginning.
    public let configuration: HostConfiguration
    /// Hears what happens; it is not retained, and takes itself out before it goes. A weak reference would make each count of
    /// its references several times as slow, and so would a check for overlapping access: it is read and set as a whole.
    @exclusivity(unchecked) public unowned var delegate: (any LEHostDelegate)?
    /// What the host and its controller are doing.
    public private(set) var state = HostState.stopped { didSet { isReady = state == .ready } }
    /// What the controller can do; nil until it said so.
    public internal(set) var controller: ControllerInfo?
    /// Finds the long-term key of a link whose peer starts encryption, and calls `answer` with its 16 bytes, least
    /// significant first, or nil; without a provider every such request is refused.
    public var longTermKeyProvider: ((LongTermKeyRequest, _ answer: @escaping ([UInt8]?) -> Void) -> Void)?
    /// Pairs, and keeps bonds; nil, and every wish to pair is refused, until ``useSecurity(_:bonds:)``.
    public internal(set) var securityManager: SecurityManager?
    /// What links offer above L2CAP, from the next one on, unless their identity has an offer of its own.
    public var linkConfiguration = L2CAPLinkConfiguration()
    /// The database on links that belong to no identity: those that this host made as central. At first it has the two
    /// services that every device has.
    public lazy var centralServer = GATTServer()
    /// What was dropped or repaired since the host was made.
    public var counters: HostCounters { counts }

    var counts = HostCounters()
    /// What every packet asks, without the rest of the state.
    private(set) var isReady = false
    let time = HostTime()
    let commands: CommandQueue
    let acl: ACLScheduler
    let links = LinkTable()
    private(set) lazy var addresses = OwnAddressMachine(host: self, policy: configuration.ownAddress)
    private(set) lazy var resolvingList = ResolvingList(host: self)
    private(set) lazy var scanner = Scanner(host: self)
    private(set) lazy var initiator = Initiator(host: self)
    private(set) lazy var advertising = AdvertisingController(host: self)
    private(set) lazy var binder = PeripheralLinkBinder(host: self)
    private var settling = Settling.idle
    /// Not nil while the peers of a radio that was switched off are told.
    private var powerOffSequence: PowerOffSequence?
    private var restarts = RestartLimit()

    /// Steps of the machines run one after the other, also where one of them causes the next.
    private enum Settling { case idle, running, again }

    /// A host that gives each packet for its controller, with the H4 type byte, to `send`; the view is valid during
    /// that call only.
    public init(configuration: HostConfiguration = HostConfiguration(), send: @escaping (ByteView) -> Void) {
        self.configuration = configuration
        commands = CommandQueue(time: time, timeout: configuration.commandTimeout, send: send)
        acl = ACLScheduler(send: send)
        commands.onSilence = { [unowned self] opcode in controllerFellSilent(opcode) }
    }

    // What outlives the host must not look for it.
    deinit {
        for link in links.all { link.host = nil }
        securityManager?.onBondsChange = {}
        securityManager?.abandon()
    }

    // MARK: Driving

    /// The time; the driver sets it before it calls anything that takes none.
    public var now: RadioInstant {
        get { time.now }
        set { time.current = newValue }
    }

    /// Every timer of the stack; `timers.onEarlierDeadline` tells the driver that it has to wake up earlier.
    public var timers: TimerQueue { time.timers }

    /// When to call ``advance(to:)`` next: never too late, perhaps too early.
    public var nextDeadline: RadioInstant? { time.timers.nextDeadline }

    /// Lets everything happen whose time has come.
    public func advance(to now: RadioInstant) {
        time.current = now
        time.timers.fire(upTo: now)
    }

    /// Resets the controller and asks what it can do; ``LEHostDelegate/host(_:changed:)`` tells how that ended.
    /// Does nothing while the host is starting or ready.
    public func start(now: RadioInstant) {
        time.current = now
        switch state {
        case .stopped, .failed: break
        case .starting, .ready, .restarting: return
        }
        if let fault = configuration.ownAddress.fault { return change(to: .failed(fault)) }
        endPowerOffSequence()
        change(to: .starting)
        setUpController()
    }

    /// Ends everything and leaves the controller reset. Disconnect links before, and wait for that, to part politely.
    public func stop(now: RadioInstant) {
        time.current = now
        switch state {
        case .stopped: finishPowerOff()
        case .failed: change(to: .stopped)
        case .starting, .ready, .restarting:
            end(in: .stopped)
            commands.sendUnanswered(.reset)
        }
    }

    /// Ends everything at once, as ``stop(now:)`` does. The peers are told so before the controller is reset, which takes
    /// one second at most.
    package func powerOff(now: RadioInstant) {
        time.current = now
        let handles = links.all.map(\.handle)
        guard case .ready = state, !handles.isEmpty else { return stop(now: now) }
        end(in: .stopped)
        // The delegate may have started the host again.
        guard case .stopped = state else { return }
        commands.open()
        let sequence = PowerOffSequence(handles, commands: commands, time: time) { [weak self] in
            self?.finishPowerOff()
        }
        powerOffSequence = sequence
        sequence.begin(isExtended: controller?.usesExtendedAdvertising ?? false)
    }

    private func finishPowerOff() {
        guard powerOffSequence != nil else { return }
        endPowerOffSequence()
        commands.sendUnanswered(.reset)
    }

    private func endPowerOffSequence() {
        guard let sequence = powerOffSequence else { return }
        powerOffSequence = nil
        sequence.cancel()
        commands.close(state.error ?? .cancelled)
    }

    /// A link went down after the radio was switched off; false where it was not.
    func endedWhilePoweredOff(_ parameters: ByteView) -> Bool {
        guard let sequence = powerOffSequence else { return false }
        if parameters.count >= 3 { sequence.ended(parameters.uint16(at: 1) & 0x0FFF) }
        return true
    }

    /// The channel to the controller is gone.
    public func transportClosed(now: RadioInstant) {
        time.current = now
        endPowerOffSequence()
        switch state {
        case .stopped, .failed: return
        case .starting, .ready, .restarting:
            end(in: .failed(.radio(.poweredOff, reason: "the connection to the controller was closed")))
        }
    }

    /// Takes one packet of the controller, with its H4 type byte.
    public func receive(_ packet: ByteView, now: RadioInstant) {
        time.current = now
        guard packet.count >= 3 else { return counts.malformedPackets += 1 }
        switch packet[0] {
        case PacketByte.acl: receiveACL(packet)
        case PacketByte.event: receiveEvent(packet)
        default: counts.ignoredPackets += 1
        }
    }

    // MARK: State

    /// Why nothing can be asked of the host now; nil where it is ready.
    var unreadiness: RadioError? { state.error }

    private func setUpController() {
        commands.open()
        ControllerSetup(host: self).run { [unowned self] result in
            switch result {
            case .success(let info):
                controller = info
                acl.open(packetLength: info.aclPacketLength, credits: info.aclPacketCount)
                addresses.open(info)
                change(to: .ready)
                resolvingList.open(info)
                settle()
            case .failure(let error): end(in: .failed(error))
            }
        }
    }

    /// The controller did not answer in time: nothing more can be expected of it.
    private func controllerFellSilent(_ opcode: HCIOpcode) {
        switch state {
        case .stopped, .failed: return
        case .starting, .restarting:
            end(
                in: .failed(
                    .radio(.unsupported, reason: "the controller did not answer \(opcode); is it one, and free?")))
        case .ready:
            let reason = "the controller stopped answering (\(opcode)); restart it, or unplug it and plug it in again"
            end(in: .failed(.radio(.poweredOff, reason: reason)))
        }
    }

    /// The controller lost its state: everything ends, and it is started anew, a few times at most.
    func restart(hardwareError code: UInt8) {
        switch state {
        case .stopped, .failed: return
        case .starting, .ready, .restarting: break
        }
        guard restarts.allows(at: now) else {
            let reason = "the controller reports hardware error 0x\([code].hexText()) again and again"
            return end(in: .failed(.radio(.poweredOff, reason: reason)))
        }
        end(in: .restarting(hardwareError: code))
        // The delegate may have stopped the host.
        guard case .restarting = state else { return }
        setUpController()
    }

    /// The controller turned out to be of no use.
    func fail(_ error: RadioError) {
        switch state {
        case .stopped, .failed: return
        case .starting, .ready, .restarting: end(in: .failed(error))
        }
    }

    /// Ends everything that is pending, each exactly once, and tells the delegate.
    private func end(in newState: HostState) {
        state = newState
        let error = newState.error ?? .cancelled
        commands.close(error)
        acl.close()
        binder.close()
        let reason: HCIStatus = newState == .stopped ? .localHostTerminated : .hardwareFailure
        for link in links.removeAll() { closed(link, reason: reason, error: error) }
        initiator.close(error)
        scanner.close(error)
        advertising.close(error)
        addresses.close(error)
        resolvingList.close()
        guard state == newState else { return }
        delegate?.host(self, changed: newState)
    }

    private func change(to newState: HostState) {
        state = newState
        delegate?.host(self, changed: newState)
    }

    /// Lets each machine take its next step; a machine calls this whenever something changed that another waits for.
    func settle() {
        guard case .idle = settling else { return settling = .again }
        repeat {
            settling = .running
            guard isReady else { break }
            resolvingList.step()
            addresses.step()
            scanner.step()
            initiator.step()
            advertising.step()
        } while settling == .again
        settling = .idle
    }

    /// Ends a link that is no longer in the table.
    func closed(_ link: LELink, reason: HCIStatus, error: RadioError) {
        link.close(error)
        delegate?.host(self, disconnected: link, reason: reason)
        // Last, because the buffers that come free let other links send.
        acl.remove(link)
    }
}
