import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// An advertising set, or the advertising of the legacy commands.
final class ControllerAdvertisingSet {
    /// The state of the set.
    enum State {
        case idle
        /// Advertising until `end` or until `eventLimit` events have been sent; nil and 0 mean no limit.
        case advertising(end: RadioInstant?, eventLimit: UInt8)
    }

    /// Proof of `unowned`: the air, which retains its controllers, stores this object only while it is enabled. A
    /// controller that is removed disables it, and is not powered on again.
    unowned let controller: VirtualController
    /// The advertising handle; nil for the legacy commands.
    let handle: UInt8?
    var parameters: ControllerAdvertisingParameters {
        didSet {
            traits = Traits(parameters)
            forgetReports()
        }
    }
    /// The parameters that every receiver evaluates, precomputed.
    private(set) var traits: Traits
    var data = AdvertisingContent() { didSet { contentChanged() } }
    var scanResponse = AdvertisingContent() { didSet { contentChanged() } }
    /// The random address of this set; the legacy commands use the random address of the controller.
    var randomAddress: BluetoothAddress? { didSet { forgetReports() } }
    /// Changes with the data, so that scanners with a duplicate filter report the set again.
    private(set) var dataID: UInt16 = 0

    private(set) var state = State.idle
    private(set) var completedEvents: UInt8 = 0
    /// The slot in the advertising schedule while the set advertises.
    private var slot: Int?
    /// The advertising address while the set advertises.
    private(set) var address: BluetoothAddress
    /// The target address of directed advertising.
    private(set) var target: BluetoothAddress?

    private var legacyReport: AdvertisingReportPackets?
    private var legacyResponse: AdvertisingReportPackets?
    private var extendedReport: AdvertisingReportPackets?
    private var extendedResponse: AdvertisingReportPackets?

    init(controller: VirtualController, handle: UInt8?, parameters: ControllerAdvertisingParameters) {
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

    /// The identity address that the host chose; nil if it chose a random address and never set one.
    var identityAddress: BluetoothAddress? {
        guard parameters.usesRandomAddress else { return controller.publicAddress }
        return handle == nil ? controller.settings.randomAddress : randomAddress
    }

    /// The address to advertise with: a private one if the host requested it and the controller has a key, else the
    /// identity address.
    var ownAddress: BluetoothAddress? {
        controller.privateAddress(parameters.ownAddressType, towards: parameters.privacyPeer) ?? identityAddress
    }

    // MARK: On and off

    /// Starts or restarts advertising. The first event is due at once.
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

    /// Stops advertising without reporting an event to the host.
    func disable() {
        guard isEnabled else { return }
        state = .idle
        if let slot { controller.air.advertisingSchedule.remove(slot) }
        slot = nil
        controller.air.advertisers.removeAll { $0 === self }
    }

    /// Sends one advertising event or terminates the advertising. The caller has marked the air as busy.
    func advertise(on air: VirtualAir) {
        guard case .advertising(let end, let limit) = state else { return }
        let now = air.loop.now
        if let end, now >= end { return terminate(.advertisingTimeout) }
        if completedEvents < .max { completedEvents += 1 }
        renewAddresses()
        air.advertise(self)
        // A connection terminates the advertising.
        guard isEnabled, let slot else { return }
        if limit > 0, completedEvents >= limit { return terminate(.limitReached) }
        let next = nextEvent(after: now, on: air)
        air.advertisingSchedule.schedule(slot, at: end.map { min(next, $0) } ?? next)
    }

    /// The interval plus a random delay of up to 10 ms (Core 6.0, Vol 6, Part B, 4.4.2.2), aligned to a grid of 0.625
    /// ms, so that the events of many advertisers share one timer expiration.
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
            // Here only high duty cycle directed advertising terminates without a command.
            controller.sendConnectionFailure(.advertisingTimeout, role: .peripheral)
        }
    }

    // MARK: Reports

    /// The report of the set's advertising packet; cached until the content changes.
    func report(extended: Bool) -> AdvertisingReportPackets {
        if let made = extended ? extendedReport : legacyReport { return made }
        let made = AdvertisingReportPackets(of: self, isResponse: false, extended: extended)
        if extended { extendedReport = made } else { legacyReport = made }
        return made
    }

    /// The report of the set's scan response; cached until the content changes.
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

    /// Makes scanners report unchanged data again.
    func renewDataID() { dataID = dataID &+ 1 & 0x0FFF }

    private func forgetReports() {
        legacyReport = nil
        legacyResponse = nil
        extendedReport = nil
        extendedResponse = nil
    }

    // MARK: Addresses

    /// Generates new private addresses if the current ones have expired.
    func renewAddresses() {
        guard traits.usesPrivateAddress else { return }
        addressChanged()
    }

    /// Applies the address that the host's settings now select.
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
