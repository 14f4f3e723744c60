import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// One thing that a controller advertises: an advertising set, or what the legacy commands advertise.
final class AdvertisingSet {
    /// What the set does at the moment.
    enum State {
        case idle
        /// For as long as `end` and the number of events allow.
        case advertising(end: RadioInstant?, eventLimit: UInt8)
    }

    unowned let controller: VirtualController
    /// The handle of the host; nil for the legacy commands.
    let handle: UInt8?
    var parameters: AdvertisingParameters {
        didSet {
            traits = Traits(parameters)
            forgetReports()
        }
    }
    /// What every listener asks, ready at hand.
    private(set) var traits: Traits
    var data = AdvertisingContent() { didSet { contentChanged() } }
    var scanResponse = AdvertisingContent() { didSet { contentChanged() } }
    /// The random address of this set; the legacy commands use the one of the controller.
    var randomAddress: BluetoothAddress? { didSet { forgetReports() } }
    /// Changes with the data, so that a scanner that has seen them before reports them again.
    private(set) var dataID: UInt16 = 0

    private(set) var state = State.idle
    private(set) var completedEvents: UInt8 = 0
    /// The place in the schedule of the air while the set advertises.
    private var slot: Int?
    /// The address on the air while the set advertises.
    private(set) var address: BluetoothAddress
    /// The address on the air of the device that directed advertising is for.
    private(set) var target: BluetoothAddress?

    private var legacyReport: AdvertisingReportPackets?
    private var legacyResponse: AdvertisingReportPackets?
    private var extendedReport: AdvertisingReportPackets?
    private var extendedResponse: AdvertisingReportPackets?

    init(controller: VirtualController, handle: UInt8?, parameters: AdvertisingParameters) {
        self.controller = controller
        self.handle = handle
        self.parameters = parameters
        traits = Traits(parameters)
        address = controller.publicAddress
    }

    var isEnabled: Bool {
        if case .advertising = state { true } else { false }
    }

    var isLegacy: Bool { traits.isLegacy }
    var isConnectable: Bool { traits.isConnectable }

    /// The address of the device that the host chose; nil where it chose a random one and never set it.
    var identityAddress: BluetoothAddress? {
        guard parameters.usesRandomAddress else { return controller.publicAddress }
        return handle == nil ? controller.settings.randomAddress : randomAddress
    }

    /// The address to advertise with: a private one where the host wants that and the controller has a key.
    var ownAddress: BluetoothAddress? {
        controller.privateAddress(parameters.ownAddressType, towards: parameters.privacyPeer) ?? identityAddress
    }

    // MARK: On and off

    /// Starts, or starts anew, with the first event at once.
    func enable(address: BluetoothAddress, duration: Duration?, eventLimit: UInt8) {
        let now = controller.air.loop.now
        if !isEnabled { controller.air.advertisers.append(self) }
        use(address)
        completedEvents = 0
        state = .advertising(end: duration.map { now + $0 }, eventLimit: eventLimit)
        let schedule = controller.air.advertisingSchedule
        let slot = self.slot ?? schedule.insert(self)
        self.slot = slot
        schedule.schedule(slot, at: now)
    }

    /// Stops; nothing is reported.
    func disable() {
        guard isEnabled else { return }
        state = .idle
        if let slot { controller.air.advertisingSchedule.remove(slot) }
        slot = nil
        controller.air.advertisers.removeAll { $0 === self }
    }

    /// One advertising event, or the end of the advertising; the air is ours.
    func advertise(on air: VirtualAir) {
        guard case .advertising(let end, let limit) = state else { return }
        let now = air.loop.now
        if let end, now >= end { return terminate(.advertisingTimeout) }
        if completedEvents < .max { completedEvents += 1 }
        renewAddresses()
        air.advertise(self)
        // A connection ends the advertising.
        guard isEnabled, let slot else { return }
        if limit > 0, completedEvents >= limit { return terminate(.limitReached) }
        let next = nextEvent(after: now, on: air)
        air.advertisingSchedule.schedule(slot, at: end.map { min(next, $0) } ?? next)
    }

    /// The interval with a random delay of up to 10 ms (Core 6.0, Vol 6, Part B, 4.4.2.2), on a grid of 0.625 ms, which
    /// lets the events of many advertisers share a stop of the clock.
    private func nextEvent(after now: RadioInstant, on air: VirtualAir) -> RadioInstant {
        let slot: Int64 = 625_000
        let slots: Int64
        if parameters.properties.contains(.highDutyCycle) {
            slots = 6
        } else {
            slots = Int64(parameters.interval) + Int64(air.generator.next() % 17)
        }
        return RadioInstant(nanoseconds: (now.nanoseconds / slot + slots) * slot)
    }

    private func terminate(_ status: HCIStatus) {
        let events = completedEvents
        disable()
        if let handle {
            controller.sendAdvertisingSetTerminated(handle: handle, status: status, link: 0, events: events)
        } else {
            // Only high duty cycle directed advertising ends by itself here.
            controller.sendConnectionFailure(.advertisingTimeout, role: .peripheral)
        }
    }

    // MARK: Reports

    /// What a scanner reports of the set's first packet; made once and kept until something changes.
    func report(extended: Bool) -> AdvertisingReportPackets {
        if let made = extended ? extendedReport : legacyReport { return made }
        let made = AdvertisingReportPackets(of: self, isResponse: false, extended: extended)
        if extended { extendedReport = made } else { legacyReport = made }
        return made
    }

    /// What a scanner reports of the set's answer to a scan request.
    func response(extended: Bool) -> AdvertisingReportPackets {
        if let made = extended ? extendedResponse : legacyResponse { return made }
        let made = AdvertisingReportPackets(of: self, isResponse: true, extended: extended)
        if extended { extendedResponse = made } else { legacyResponse = made }
        return made
    }

    private func contentChanged() {
        renewDataID()
        forgetReports()
    }

    /// Makes scanners report data again that have not changed.
    func renewDataID() { dataID = dataID &+ 1 & 0x0FFF }

    private func forgetReports() {
        legacyReport = nil
        legacyResponse = nil
        extendedReport = nil
        extendedResponse = nil
    }

    // MARK: Addresses

    /// Takes new private addresses where the old ones are too old.
    func renewAddresses() {
        guard traits.usesPrivateAddress else { return }
        addressChanged()
    }

    /// Advertises with the address that the host wants now.
    func addressChanged() {
        if let ownAddress { use(ownAddress) }
    }

    private func use(_ address: BluetoothAddress) {
        let target = parameters.peer.map { controller.targetAddress(parameters.ownAddressType, of: $0) }
        guard self.address != address || self.target != target else { return }
        self.address = address
        self.target = target
        forgetReports()
    }
}
