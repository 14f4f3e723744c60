import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// The air that virtual controllers share: who advertises is heard by who scans, and links cross it.
///
/// An air and everything on it is confined to one ``RadioLoop`` and takes time from its clock alone, so with a manual
/// clock and a seed every run is the same. Scanners hear every event in their range: scan windows leave no gaps.
public final class VirtualAir {
    /// The loop that everything on this air runs on.
    public let loop: RadioLoop
    /// How fast data crosses the links.
    public var pace: AirPace {
        didSet { perform { air in air.allLinks.forEach { $0.conditionsChanged() } } }
    }
    /// How signals get weaker with distance.
    public var propagation = AirPropagation() {
        didSet { perform { air in air.allLinks.forEach { $0.conditionsChanged() } } }
    }
    /// The controllers on this air, in the order in which they came.
    public private(set) var controllers: [VirtualController] = []

    var generator: AirGenerator
    let buffer = PacketBuffer()

    /// Who hears advertising, and who answers it with a connection; each in the order of the controllers.
    var scanners: [Scanner] = []
    var initiators: [VirtualController] = []
    /// Who advertises at the moment, in the order of the enabling.
    var advertisers: [AdvertisingSet] = []
    private(set) lazy var advertisingSchedule = AdvertisingSchedule(air: self)
    private var links: [ObjectIdentifier: VirtualLink] = [:]

    private var isBusy = false
    private var postponed: [Postponed] = []
    private var controllersWithCompletions: [VirtualController] = []
    private var nextAddress: UInt64 = 0x0248_4100_0001
    private var nextNumber = 0

    private enum Postponed {
        case packet(VirtualController, [UInt8])
        case action((VirtualAir) -> Void)
    }

    /// What a host may send while its controller is still busy with something else; beyond it packets are dropped and
    /// counted.
    static let postponedLimit = 4096

    /// An air on `loop`; `seed` decides everything that is left to chance.
    public init(loop: RadioLoop, pace: AirPace = .unpaced, seed: UInt64 = 1) {
        self.loop = loop
        self.pace = pace
        generator = AirGenerator(seed: seed)
    }

    // MARK: Controllers

    /// A new controller on this air, powered on and reset.
    public func makeController(_ configuration: VirtualControllerConfiguration = .init()) -> VirtualController {
        let controller = VirtualController(
            air: self, number: nextNumber, address: configuration.address ?? inventAddress(),
            seed: generator.next(), configuration: configuration)
        nextNumber += 1
        controllers.append(controller)
        return controller
    }

    /// Takes a controller off the air: its peers lose their links by supervision timeout, and it sends nothing more.
    public func remove(_ controller: VirtualController) {
        controller.powerOff()
        controllers.removeAll { $0 === controller }
    }

    /// Takes all controllers off the air; call it when the air is no longer needed, because air and controllers keep
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

    /// The links of this air, in no particular order.
    public var allLinks: [VirtualLink] { Array(links.values) }

    func add(_ link: VirtualLink) { links[ObjectIdentifier(link)] = link }
    func remove(_ link: VirtualLink) { links[ObjectIdentifier(link)] = nil }

    /// The strength, in dBm, at which `receiver` hears `sender`.
    func strength(from sender: VirtualController, txPower: Int8, to receiver: VirtualController) -> Int8 {
        propagation.strength(of: txPower, from: sender.position, to: receiver.position)
    }

    // MARK: One thing at a time

    /// Marks the air as busy; false where it already is, or others wait, and the caller has to wait for its turn.
    func begin() -> Bool {
        guard !isBusy, postponed.isEmpty else { return false }
        isBusy = true
        return true
    }

    func end() {
        isBusy = false
        if !postponed.isEmpty { loop.later { self.runPostponed() } }
    }

    /// Runs `action` now, or soon where the air is busy: no machine on it is entered again while it runs.
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
        // While the air is busy, its end calls this again.
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

    /// Reports the completed packets of `controller` at the end of this turn.
    func scheduleCompletions(of controller: VirtualController) {
        controllersWithCompletions.append(controller)
        if controllersWithCompletions.count == 1 { loop.later { self.reportCompletions() } }
    }

    private func reportCompletions() {
        guard begin() else { return loop.later { self.reportCompletions() } }
        let list = controllersWithCompletions
        controllersWithCompletions.removeAll(keepingCapacity: true)
        for controller in list { controller.reportCompletedPackets() }
        end()
    }
}
