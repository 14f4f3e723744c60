import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// A Bluetooth Low Energy controller without a radio: it speaks HCI with its host, and shares a ``VirtualAir`` with
/// others.
///
/// It is confined to the loop of its air. A packet that its host sends while the air is busy is taken a moment later,
/// so ``transmit`` may answer at once.
public final class VirtualController {
    /// The air that it is on. Each keeps the other until ``VirtualAir/remove(_:)`` or ``VirtualAir/close()``.
    public let air: VirtualAir
    /// What it is and can do.
    public let configuration: VirtualControllerConfiguration
    /// Its public address.
    public let publicAddress: BluetoothAddress
    /// Takes packets to its host, with the H4 type byte; the view is valid during the call only.
    public var transmit: ((ByteView) -> Void)?
    /// Where it stands; nil leaves the signal strength unknown.
    public var position: AirPosition? { didSet { if position != oldValue { conditionsChanged() } } }
    /// What goes wrong with it.
    public var faults = ControllerFaults() {
        didSet {
            // Nothing else matters to the links that there are.
            if faults.isSilent != oldValue.isSilent || faults.delay != oldValue.delay { conditionsChanged() }
        }
    }
    /// What it has done so far.
    public var counters: ControllerCounters { counts.values }
    /// Whether it is on; switched off, it takes and sends nothing.
    public private(set) var isPoweredOn = true

    /// Its place in the order of the air.
    let number: Int
    let supportedCommands: HCISupportedCommands
    var settings: HostSettings
    var generator: AirGenerator
    let linkTable: LinkTable
    /// How much the host takes at once.
    let flow = HostFlowControl()
    /// The peers whose private addresses it knows.
    let resolvingList: ResolvingList

    /// What the legacy commands advertise, and the sets in the order of their handles.
    private(set) lazy var legacySet = makeLegacySet()
    var sets: [AdvertisingSet] = []
    private(set) lazy var scanner = Scanner(controller: self)
    var initiation: Initiation?

    let counts = ControllerCounts()
    /// ACL packets that the host sent and that are not reported as completed.
    var outstandingPackets = 0
    /// Links with completed packets that the host does not know of yet.
    var completedEnds: [LinkEnd] = []

    init(
        air: VirtualAir, number: Int, address: BluetoothAddress, seed: UInt64,
        configuration: VirtualControllerConfiguration
    ) {
        let configuration = configuration.clamped
        self.air = air
        self.number = number
        self.configuration = configuration
        publicAddress = BluetoothAddress(value: address.value, kind: .public)
        position = configuration.position
        generator = AirGenerator(seed: seed)
        settings = HostSettings(configuration)
        linkTable = LinkTable(capacity: configuration.linkCount)
        resolvingList = ResolvingList(capacity: Int(configuration.resolvingListSize))
        supportedCommands = HCISupportedCommands(
            CommandTable.all.values.lazy.filter { configuration.features.isSuperset(of: $0.features) }.map(\.opcode))
    }

    private func makeLegacySet() -> AdvertisingSet {
        AdvertisingSet(controller: self, handle: nil, parameters: .standard(txPower: configuration.txPower))
    }

    // MARK: Packets of the host

    /// Takes one H4 packet from the host, with its type byte.
    public func receive(_ packet: ByteView) {
        guard air.begin() else { return air.postpone(packet, for: self) }
        process(packet)
        air.end()
    }

    func process(_ packet: ByteView) {
        guard isPoweredOn, !packet.isEmpty else { return dropped() }
        switch HCIPacketType(rawValue: packet[0]) {
        case .acl: receiveACL(packet)
        case .command: receiveCommand(packet)
        default: dropped()
        }
    }

    func dropped() { counts.droppedPackets += 1 }

    private func receiveCommand(_ packet: ByteView) {
        guard H4.isWholePacket(packet) else { return dropped() }
        counts.commands += 1
        guard faults.answersCommands else { return }
        answer(HCIOpcode(rawValue: packet.uint16(at: 1)), parameters: packet.dropFirst(4))
    }

    // MARK: Packets to the host

    func sendToHost(_ packet: ByteView) {
        guard isPoweredOn else { return }
        transmit?(packet)
    }

    /// Sends an event; `fill` writes its parameters.
    func send(_ code: HCIEventCode, _ fill: (PacketBuffer) -> Void) {
        let buffer = air.buffer
        buffer.begin(.event)
        buffer.uint8(code.rawValue)
        buffer.uint8(0)
        fill(buffer)
        // No event here has more than 255 bytes of parameters.
        buffer.set(UInt8(truncatingIfNeeded: buffer.count - 3), at: 2)
        sendToHost(buffer.view)
    }

    /// Sends an event that the host may have masked.
    func send(_ code: HCIEventCode, if mask: HCIEventMask, _ fill: (PacketBuffer) -> Void) {
        guard settings.eventMask.contains(mask) else { return }
        send(code, fill)
    }

    /// Sends an LE Meta event unless the host masked it; `fill` writes what follows the subevent code.
    func send(_ code: LEEventCode, _ fill: (PacketBuffer) -> Void) {
        guard wants(LEEventMask(code)) else { return }
        send(.leMeta) { buffer in
            buffer.uint8(code.rawValue)
            fill(buffer)
        }
    }

    /// Whether the host wants this LE Meta event.
    func wants(_ event: LEEventMask) -> Bool {
        settings.eventMask.contains(.leMeta) && settings.leEventMask.isSuperset(of: event)
    }

    /// Tells the host that the hardware failed; what it does then is a reset.
    public func raiseHardwareError(code: UInt8) {
        air.perform { _ in self.send(.hardwareError, if: .hardwareError) { $0.uint8(code) } }
    }

    // MARK: On and off

    /// Forgets everything that the host set up. Peers are not told, as on real air: their links end by supervision
    /// timeout.
    func reset() {
        for set in sets { set.disable() }
        sets = []
        legacySet.disable()
        legacySet = makeLegacySet()
        scanner.disable()
        scanner.parameters = ScanParameters()
        stopInitiating()
        for end in linkTable.ends { end.link.abandon(end) }
        settings = HostSettings(configuration)
        flow.reset()
        resolvingList.reset()
        outstandingPackets = 0
        completedEnds = []
    }

    /// Switches the controller off: it takes and sends nothing, and its peers lose their links by supervision timeout.
    public func powerOff() {
        air.perform { _ in
            guard self.isPoweredOn else { return }
            self.reset()
            self.isPoweredOn = false
        }
    }

    /// Switches the controller on again, as after a reset.
    public func powerOn() { air.perform { _ in self.isPoweredOn = true } }

    /// Whether its host advertises anything at the moment.
    public var isAdvertising: Bool { legacySet.isEnabled || sets.contains(where: \.isEnabled) }
    /// Whether its host scans at the moment.
    public var isScanning: Bool { scanner.isEnabled }
    /// Whether its host waits for a connection as a central.
    public var isInitiating: Bool { initiation != nil }

    // MARK: Links

    /// The links of this controller, in no particular order.
    public var links: [VirtualLink] { linkTable.ends.map(\.link) }

    /// The link with this connection handle of this controller's host.
    public func link(handle: UInt16) -> VirtualLink? { linkTable[handle]?.link }

    private func conditionsChanged() {
        air.perform { _ in for end in self.linkTable.ends { end.link.conditionsChanged() } }
    }
}
