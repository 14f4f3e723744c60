import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// A Bluetooth Low Energy host for one controller: GAP, GATT, ATT, L2CAP and HCI, in both roles.
///
/// The host performs no input or output. Its driver passes each packet of the controller to ``receive(_:)``, calls
/// ``advance(to:)`` at ``nextDeadline``, and transmits the packets passed to the closure of
/// ``init(configuration:time:send:)``. The host is confined to one thread and must not be called while it sends: the
/// driver queues packets that arrive meanwhile.
///
/// A driver without a clock sets ``now`` before any other call, so that timeouts start at the right time.
package final class LEHost {
    /// The configuration that the host was created with.
    package let configuration: HostConfiguration
    /// The delegate, which is not retained. Proof of `unowned`: the delegate must set this to nil before it is
    /// deallocated. A weak reference would make its reference counting several times slower. Proof of
    /// `@exclusivity(unchecked)`: the reference is only read and set as a whole. The check would cost time on every
    /// packet.
    @exclusivity(unchecked) package unowned var delegate: (any LEHostDelegate)?
    /// The state of the host and its controller.
    package private(set) var state = HostState.stopped { didSet { isReady = state == .ready } }
    /// The properties of the controller; nil until they were read.
    package internal(set) var controller: ControllerInfo?
    /// Provides the long-term key when a peer starts encryption: call `answer` with its 16 octets, least significant
    /// first, or with nil to refuse. Without a provider the security manager answers; without either,
    /// every request is refused.
    package var longTermKeyProvider: ((LongTermKeyRequest, _ answer: @escaping ([UInt8]?) -> Void) -> Void)?
    /// Pairs and manages bonds; nil until ``useSecurity(_:bonds:)``, and pairing requests are then refused.
    package internal(set) var securityManager: SecurityManager?
    /// The L2CAP configuration of new links, unless their identity has its own.
    package var linkConfiguration = L2CAPLinkConfiguration()
    /// The database of links without an identity, which are those that this host established as central. It initially
    /// contains the services 1800 and 1801.
    package lazy var centralServer = GATTServer()
    /// Receives observations of new links and of the controller, for logs; nil to observe nothing. Set it before
    /// ``start(now:)``.
    package var trace: ((HostTraceEvent) -> Void)?
    /// The numbers of packets and events that were dropped or ignored since the host was created.
    package var counters: HostCounters { counts }

    var counts = HostCounters()
    /// True if `state` is ready; a separate Boolean because every packet reads it.
    private(set) var isReady = false
    let time: HostTime
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
    /// Not nil while the controller disconnects the peers of an adapter that was powered off.
    private var powerOffSequence: PowerOffSequence?
    private var restarts = RestartLimit()

    /// The progress of ``settle()``: a call from within a step causes another round instead of a nested one.
    private enum Settling { case idle, running, again }

    /// Creates a host.
    /// - Parameters:
    ///   - time: the time of the driver's clock, or one that the driver sets by ``now``.
    ///   - send: receives each packet for the controller, with the H4 packet type. The view is valid only during the
    ///     call.
    package init(
        configuration: HostConfiguration = HostConfiguration(), time: HostTime = HostTime(),
        send: @escaping (ByteView) -> Void
    ) {
        self.configuration = configuration
        self.time = time
        commands = CommandQueue(time: time, timeout: configuration.commandTimeout, send: send)
        acl = ACLScheduler(send: send)
        // Proof of `unowned`: only the host passes events to the queue and fires its timer.
        commands.onSilence = { [unowned self] opcode in controllerFellSilent(opcode) }
        commands.onRefusal = { [unowned self] opcode, status, link in noteRefusal(opcode, status, link) }
    }

    // Objects that outlive the host must not refer to it.
    deinit {
        for link in links.all { link.host = nil }
        securityManager?.defaultIdentity = { nil }
        securityManager?.onBondsChange = {}
        securityManager?.abandon()
    }

    // MARK: Driver interface

    /// The current time; a driver without a clock sets it before any call without a `now` parameter.
    package var now: RadioInstant {
        get { time.now }
        set { time.current = newValue }
    }

    /// All timers of the stack; `timers.onEarlierDeadline` notifies the driver that it has to wake up earlier.
    package var timers: TimerQueue { time.timers }

    /// The time at which to call ``advance(to:)`` next; it may be early, but never late.
    package var nextDeadline: RadioInstant? { time.timers.nextDeadline }

    /// Fires all timers that are due, after it has set the time where the driver has no clock.
    package func advance(to now: RadioInstant? = nil) {
        set(now)
        time.timers.fire(upTo: time.now)
    }

    private func set(_ now: RadioInstant?) { if let now { time.current = now } }

    /// Resets and sets up the controller; the result is passed to ``LEHostDelegate/host(_:changed:)``. No effect while
    /// the host is starting or ready.
    package func start(now: RadioInstant? = nil) {
        set(now)
        switch state {
        case .stopped, .failed: break
        case .starting, .ready, .restarting: return
        }
        if let fault = configuration.ownAddress.fault { return change(to: .failed(fault)) }
        endPowerOffSequence()
        change(to: .starting)
        setUpController()
    }

    /// Ends all operations and resets the controller. To end links gracefully, disconnect them first and wait until
    /// they are down.
    package func stop(now: RadioInstant? = nil) {
        set(now)
        switch state {
        case .stopped: finishPowerOff()
        case .failed: change(to: .stopped)
        case .starting, .ready, .restarting:
            end(in: .stopped)
            commands.sendUnanswered(.reset)
        }
    }

    /// Ends all operations immediately, as ``stop(now:)`` does. Before the controller is reset it disconnects the
    /// peers, which takes at most one second.
    package func powerOff(now: RadioInstant? = nil) {
        set(now)
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

    /// Handles a disconnection after the adapter was powered off; returns false if it was not.
    func endedWhilePoweredOff(_ parameters: ByteView) -> Bool {
        guard let sequence = powerOffSequence else { return false }
        if parameters.count >= 3 { sequence.ended(parameters.uint16(at: 1) & 0x0FFF) }
        return true
    }

    /// Ends all operations after the transport to the controller was closed.
    /// - Parameter error: the error with which they end, and the host's state.
    package func transportClosed(_ error: RadioError, now: RadioInstant? = nil) {
        set(now)
        endPowerOffSequence()
        switch state {
        case .stopped, .failed: return
        case .starting, .ready, .restarting: end(in: .failed(error))
        }
    }

    /// Sets the time, and processes one packet of the controller.
    package func receive(_ packet: ByteView, now: RadioInstant) {
        time.current = now
        receive(packet)
    }

    /// Processes one packet of the controller, with its H4 packet type.
    package func receive(_ packet: ByteView) {
        guard packet.count >= 3 else { return note(.malformedPacket, packet) }
        switch packet[0] {
        case PacketByte.acl: receiveACL(packet)
        case PacketByte.event: receiveEvent(packet)
        default: note(.ignoredPacket, packet)
        }
    }

    // MARK: State

    /// The error with which operations fail now; nil if the host is ready.
    var unavailableError: RadioError? { state.error }

    private func setUpController() {
        commands.open()
        // Proof of `unowned`: only the commands in the host's queue retain the setup, and only the host completes them.
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

    /// Fails the host after a command timed out.
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

    /// Ends all operations after the controller lost its state, and restarts it unless it failed too often.
    func restart(hardwareError code: UInt8) {
        switch state {
        case .stopped, .failed: return
        case .starting, .ready, .restarting: break
        }
        guard restarts.allows(at: now) else {
            let reason = "the controller repeatedly reports hardware error 0x\([code].hexText())"
            return end(in: .failed(.radio(.poweredOff, reason: reason)))
        }
        end(in: .restarting(hardwareError: code))
        // The delegate may have stopped the host.
        guard case .restarting = state else { return }
        setUpController()
    }

    /// Fails the host because the controller cannot be used.
    func fail(_ error: RadioError) {
        switch state {
        case .stopped, .failed: return
        case .starting, .ready, .restarting: end(in: .failed(error))
        }
    }

    /// Ends all pending operations, each exactly once, and notifies the delegate.
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

    /// Runs the next step of each state machine. A state machine calls this after any change that another one waits
    /// for.
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

    /// Closes a link that was removed from the table.
    func closed(_ link: LELink, reason: HCIStatus, error: RadioError) {
        link.close(error)
        delegate?.host(self, disconnected: link, reason: reason)
        // Last, because other links send into the released buffers.
        acl.remove(link)
    }
}
