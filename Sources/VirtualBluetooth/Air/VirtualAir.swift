import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// The radio medium that virtual controllers share: scanners receive advertising events, and links carry data.
///
/// An air and everything on it is confined to one ``RadioLoop`` and takes time from the loop's clock only. With a
/// manual clock and a seed, every run is the same. Scanners receive every event in their range: scan windows leave no
/// gaps.
public final class VirtualAir {
    /// The loop to which this air and its controllers are confined.
    public let loop: RadioLoop
    /// The data rate of the links.
    public var pace: AirPace {
        didSet { perform { air in air.allLinks.forEach { $0.conditionsChanged() } } }
    }
    /// Slow changes of signal strengths; nil, the default, for constant ones.
    package var fading: AirFading?
    /// The attenuation of signals with distance.
    public var propagation = AirPropagation() {
        didSet { perform { air in air.allLinks.forEach { $0.conditionsChanged() } } }
    }
    /// The controllers on this air, in the order in which they were added.
    public private(set) var controllers: [VirtualController] = []

    var generator: AirGenerator
    let buffer = ControllerPacketBuffer()

    /// The enabled scanners and the initiating controllers, each in the order of the controllers.
    var scanners: [ControllerScanner] = []
    var initiators: [VirtualController] = []
    /// The enabled advertising sets, in the order in which they were enabled.
    var advertisers: [ControllerAdvertisingSet] = []
    private(set) lazy var advertisingSchedule = AdvertisingSchedule(air: self)

    private var isBusy = false
    private var postponed: [Postponed] = []
    private var controllersWithCompletions: [VirtualController] = []
    private var nextAddress: UInt64 = 0x0248_4100_0001
    private var nextNumber = 0

    private enum Postponed {
        case packet(VirtualController, [UInt8])
        case action((VirtualAir) -> Void)
    }

    /// The maximum number of postponed packets while the air is busy. Packets beyond it are dropped and counted.
    static let postponedLimit = 4096

    /// Creates an air on `loop`; `seed` determines all random values.
    public init(loop: RadioLoop, pace: AirPace = .unpaced, seed: UInt64 = 1) {
        self.loop = loop
        self.pace = pace
        generator = AirGenerator(seed: seed)
    }

    // MARK: Controllers

    /// Adds a controller to this air, powered on and reset.
    public func makeController(_ configuration: VirtualControllerConfiguration = .init()) -> VirtualController {
        let controller = VirtualController(
            air: self, number: nextNumber, address: configuration.address ?? inventAddress(),
            seed: generator.next(), configuration: configuration)
        nextNumber += 1
        controllers.append(controller)
        return controller
    }

    /// Powers the controller off for good and removes it from the air. Its peers lose their links by supervision
    /// timeout.
    public func remove(_ controller: VirtualController) {
        controller.powerOff()
        controllers.removeAll { $0 === controller }
    }

    /// Removes all controllers. Call it when the air is no longer needed, because the air and its controllers retain
    /// each other.
    public func close() { for controller in controllers { remove(controller) } }

    private func inventAddress() -> BluetoothAddress {
        while true {
            let address = BluetoothAddress(value: nextAddress, kind: .public)
            nextAddress += 1
            if !controllers.contains(where: { $0.publicAddress == address }) { return address }
        }
    }

    // MARK: Links

    /// The links of this air, the oldest first.
    public private(set) var allLinks: [VirtualLink] = []

    func add(_ link: VirtualLink) { allLinks.append(link) }
    func remove(_ link: VirtualLink) { allLinks.removeAll { $0 === link } }

    /// The signal strength, in dBm, of `sender` at `receiver`.
    func strength(from sender: VirtualController, txPower: Int8, to receiver: VirtualController) -> Int8 {
        let strength = propagation.strength(of: txPower, from: sender.position, to: receiver.position)
        guard let fading, strength != AirPropagation.unknownStrength, strength > -127 else { return strength }
        let change = fading.change(
            from: sender.publicAddress.value, to: receiver.publicAddress.value, at: (loop.now - .start) / .seconds(1))
        return Int8(min(20, max(-127, (Double(strength) + change).rounded())))
    }

    // MARK: Mutual exclusion

    /// Marks the air as busy. Returns false if it is busy already or work is postponed; the caller must then postpone
    /// its own work.
    func begin() -> Bool {
        guard !isBusy, postponed.isEmpty else { return false }
        isBusy = true
        return true
    }

    func end() {
        isBusy = false
        if !postponed.isEmpty { loop.executeNext { self.runPostponed() } }
    }

    /// Runs `action` now, or soon if the air is busy, so that no state machine on it is reentered while it runs.
    func perform(_ action: @escaping (VirtualAir) -> Void) {
        guard begin() else { return postponed.append(.action(action)) }
        action(self)
        end()
    }

    func postpone(_ packet: ByteView, for controller: VirtualController) {
        guard postponed.count < Self.postponedLimit else { return controller.dropped() }
        postponed.append(.packet(controller, packet.array))
    }

    private func runPostponed() {
        // If the air is busy, its `end()` schedules this again.
        guard !postponed.isEmpty, !isBusy else { return }
        let work = postponed
        postponed = []
        isBusy = true
        for item in work {
            switch item {
            case .packet(let controller, let bytes): bytes.withByteView { controller.process($0) }
            case .action(let action): action(self)
            }
        }
        end()
    }

    // MARK: Completed packets

    /// Schedules the report of the completed packets of `controller` for the end of this turn of the loop.
    func scheduleCompletions(of controller: VirtualController) {
        controllersWithCompletions.append(controller)
        if controllersWithCompletions.count == 1 { loop.executeNext { self.reportCompletions() } }
    }

    private func reportCompletions() {
        guard begin() else { return loop.executeNext { self.reportCompletions() } }
        let list = controllersWithCompletions
        controllersWithCompletions.removeAll(keepingCapacity: true)
        for controller in list { controller.reportCompletedPackets() }
        end()
    }
}
