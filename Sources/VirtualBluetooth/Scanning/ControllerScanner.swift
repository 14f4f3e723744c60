import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// The scanner of a controller.
final class ControllerScanner {
    /// Filtering of duplicates (Core 6.0, Vol 4, Part E, 7.8.65).
    enum Filtering: UInt8 {
        case off = 0
        case on = 1
        case onWithinPeriod = 2
    }

    private enum State {
        case idle
        case scanning
        /// Between the scan durations of two periods.
        case pausing
    }

    /// Proof of `unowned`: the air, which retains its controllers, stores this object only while it is enabled. A
    /// controller that is removed disables it, and is not powered on again.
    unowned let controller: VirtualController
    var parameters = ScanParameters()
    private var state = State.idle
    private var filtering = Filtering.off
    private var filter = ControllerDuplicateFilter()
    private var duration: Duration = .zero
    private var period: Duration = .zero
    private var periodStart = RadioInstant.start
    private var timer: QueuedTimer?

    init(controller: VirtualController) { self.controller = controller }

    var isEnabled: Bool { state != .idle }

    // MARK: On and off

    /// Starts or restarts scanning. A duration of zero is unlimited, a period of zero is not repeated.
    func enable(filtering: Filtering, duration: Duration = .zero, period: Duration = .zero) {
        if !isEnabled { controller.air.insert(self) }
        self.filtering = filtering
        self.duration = duration
        self.period = period
        startPeriod(at: controller.air.loop.now)
        if duration == .zero { timer?.disarm() }
    }

    func disable() {
        guard isEnabled else { return }
        state = .idle
        timer?.disarm()
        controller.air.remove(self)
    }

    private func startPeriod(at now: RadioInstant) {
        state = .scanning
        filter.removeAll()
        periodStart = now
        guard duration > .zero else { return }
        let timer = self.timer ?? controller.air.loop.makeTimer { [weak self] in self?.timerFired() }
        self.timer = timer
        timer.arm(at: now + duration)
    }

    private func timerFired() {
        controller.air.perform { [weak self] air in self?.advance(air.loop.now) }
    }

    private func advance(_ now: RadioInstant) {
        switch state {
        case .idle: break
        case .scanning where period == .zero:
            disable()
            controller.sendScanTimeout()
        case .scanning:
            state = .pausing
            timer?.arm(at: periodStart + period)
        case .pausing: startPeriod(at: now)
        }
    }

    // MARK: Listening

    /// Receives one advertising event of `set`.
    func hear(_ set: ControllerAdvertisingSet, strength: Int8) {
        let traits = set.traits
        let layer = traits.layer
        guard state == .scanning, parameters.physicalLayers & layer != 0, traits.isLegacy || parameters.hearsExtended
        else { return }
        let sender = traits.isAnonymous ? PeerAddress(set.address) : controller.receive(set.address)
        guard let sender, passes(sender, isAnonymous: traits.isAnonymous) else { return }
        var names = AdvertisingReportPackets.Names(advertiser: sender)
        var unresolved: BluetoothAddress?
        if traits.isDirected, let address = set.target {
            switch controller.target(address, ownAddressType: parameters.ownAddressType) {
            case .own: break
            case .ownPrivate(let identity): names.target = (identity.kind.rawValue | 2, identity)
            case .unresolved where parameters.hearsUnresolvedDirected:
                unresolved = address
                // The address type for private addresses that the controller could not resolve.
                names.target = (0xFE, address)
            case .unresolved, .other: return
            }
        }
        let isFiltering = filtering != .off
        if !isFiltering || filter.isNew(set, from: sender, isResponse: false) {
            if let unresolved, !parameters.hearsExtended {
                controller.sendDirectedReport(from: sender, target: unresolved, strength: strength)
            } else {
                send(set.report(extended: parameters.hearsExtended), names, strength: strength)
            }
        }
        guard traits.takesScanResponse, parameters.activeLayers & layer != 0 else { return }
        ask(set, names, strength: strength)
    }

    /// Requests the scan response.
    private func ask(_ set: ControllerAdvertisingSet, _ names: AdvertisingReportPackets.Names, strength: Int8) {
        guard let own = controller.ownAddress(parameters.ownAddressType, towards: names.advertiser.address),
            let asker = set.controller.answersScanRequest(from: own, to: set)
        else { return }
        set.controller.sendScanRequestReceived(set, from: asker)
        if filtering == .off || filter.isNew(set, from: names.advertiser, isResponse: true) {
            send(set.response(extended: parameters.hearsExtended), names, strength: strength)
        }
    }

    private func passes(_ sender: PeerAddress, isAnonymous: Bool) -> Bool {
        guard parameters.usesAcceptList else { return true }
        let list = controller.settings.acceptList
        return isAnonymous ? list.containsAnonymous : list.contains(sender.address)
    }

    private func send(
        _ packets: AdvertisingReportPackets, _ names: AdvertisingReportPackets.Names, strength: Int8
    ) {
        let code = parameters.hearsExtended ? LEEventMask.extendedAdvertisingReport : .advertisingReport
        guard controller.wants(code) else { return }
        controller.counts.reports += packets.count
        packets.send(strength: strength, names: names, to: controller)
    }
}

extension VirtualAir {
    /// Keeps the scanners in the order of their controllers, so that a run does not depend on the order in which they
    /// start.
    fileprivate func insert(_ scanner: ControllerScanner) {
        let index = scanners.firstIndex { $0.controller.number > scanner.controller.number } ?? scanners.count
        scanners.insert(scanner, at: index)
    }

    fileprivate func remove(_ scanner: ControllerScanner) { scanners.removeAll { $0 === scanner } }

    /// Delivers one advertising event to all scanners in range, and connects the first initiator that accepts it.
    func advertise(_ set: ControllerAdvertisingSet) {
        let sender = set.controller
        guard !sender.faults.isSilent else { return }
        for scanner in scanners where scanner.controller !== sender {
            guard let strength = hears(scanner.controller, set) else { continue }
            scanner.hear(set, strength: strength)
        }
        guard set.isConnectable, !initiators.isEmpty else { return }
        for initiator in initiators where initiator !== sender {
            guard hears(initiator, set) != nil, connect(initiator, to: set) else { continue }
            return
        }
    }

    /// The signal strength of an event of `set` at `receiver`; nil if the event is not received.
    func hears(_ receiver: VirtualController, _ set: ControllerAdvertisingSet) -> Int8? {
        guard !receiver.faults.isSilent else { return nil }
        let strength = strength(from: set.controller, txPower: set.traits.txPower, to: receiver)
        guard propagation.isAudible(strength) else { return nil }
        if generator.happens(set.controller.faults.advertisingLoss) || generator.happens(receiver.faults.reportLoss) {
            return nil
        }
        return strength
    }
}
