import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// A simulated Bluetooth Low Energy controller without a radio. It uses HCI with its host and shares a ``VirtualAir``
/// with other controllers.
///
/// It is confined to the loop of its air. A packet that its host sends while the air is busy is processed shortly
/// afterwards, so ``transmit`` may send an answer at once.
public final class VirtualController {
    /// The air of this controller. Both retain each other until ``VirtualAir/remove(_:)`` or ``VirtualAir/close()``.
    public let air: VirtualAir
    /// The properties and capabilities of this controller.
    public let configuration: VirtualControllerConfiguration
    /// The public address.
    public let publicAddress: BluetoothAddress
    /// Receives packets for the host, with the H4 type byte. The view is valid during the call only.
    public var transmit: ((ByteView) -> Void)?
    /// The position of the device; nil leaves the signal strength unknown.
    public var position: AirPosition? { didSet { if position != oldValue { conditionsChanged() } } }
    /// The faults that this controller injects.
    public var faults = ControllerFaults() {
        didSet {
            // Other faults do not affect existing links.
            if faults.isSilent != oldValue.isSilent || faults.delay != oldValue.delay { conditionsChanged() }
        }
    }
    /// The counters of this controller.
    public var counters: ControllerCounters { counts.values }
    /// False while the controller is switched off and ignores all packets.
    public private(set) var isPoweredOn = true

    /// Its index in the order of creation on the air.
    let number: Int
    let supportedCommands: HCISupportedCommands
    var settings: HostSettings
    var generator: AirGenerator
    let linkTable: ControllerLinkTable
    /// Controller to host flow control.
    let flow = HostFlowControl()
    /// The peers whose private addresses this controller resolves.
    let resolvingList: ControllerResolvingList

    /// The advertising of the legacy commands, and the advertising sets in the order of their handles.
    private(set) lazy var legacySet = makeLegacySet()
    var sets: [ControllerAdvertisingSet] = []
    private(set) lazy var scanner = ControllerScanner(controller: self)
    var initiation: Initiation?

    let counts = ControllerCounts()
    /// The number of ACL packets from the host that have not been reported as completed.
    var outstandingPackets = 0
    /// Links with completed packets that have not been reported to the host.
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
        linkTable = ControllerLinkTable(capacity: configuration.linkCount)
        resolvingList = ControllerResolvingList(capacity: Int(configuration.resolvingListSize))
        supportedCommands = HCISupportedCommands(
            CommandTable.all.values.lazy.filter { configuration.features.isSuperset(of: $0.features) }.map(\.opcode))
    }

    private func makeLegacySet() -> ControllerAdvertisingSet {
        ControllerAdvertisingSet(controller: self, handle: nil, parameters: .standard(txPower: configuration.txPower))
    }

    // MARK: Packets of the host

    /// Processes one H4 packet from the host, with its type byte.
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
    func send(_ code: HCIEventCode, _ fill: (ControllerPacketBuffer) -> Void) {
        let buffer = air.buffer
        buffer.begin(.event)
        buffer.uint8(code.rawValue)
        buffer.uint8(0)
        fill(buffer)
        // No event sent here has more than 255 bytes of parameters.
        buffer.set(UInt8(truncatingIfNeeded: buffer.count - 3), at: 2)
        sendToHost(buffer.view)
    }

    /// Sends an event unless the host masked it.
    func send(_ code: HCIEventCode, if mask: HCIEventMask, _ fill: (ControllerPacketBuffer) -> Void) {
        guard settings.eventMask.contains(mask) else { return }
        send(code, fill)
    }

    /// Sends an LE Meta event unless the host masked it; `fill` writes the parameters after the subevent code.
    func send(_ code: LEEventCode, _ fill: (ControllerPacketBuffer) -> Void) {
        guard wants(LEEventMask(code)) else { return }
        send(.leMeta) { buffer in
            buffer.uint8(code.rawValue)
            fill(buffer)
        }
    }

    /// Returns true if the host enabled this LE Meta event.
    func wants(_ event: LEEventMask) -> Bool {
        settings.eventMask.contains(.leMeta) && settings.leEventMask.isSuperset(of: event)
    }

    /// Sends a hardware error event, upon which the host should reset the controller.
    public func raiseHardwareError(code: UInt8) {
        air.perform { _ in self.send(.hardwareError, if: .hardwareError) { $0.uint8(code) } }
    }

    // MARK: On and off

    /// Restores the state after power-on. Peers receive nothing, as with a real radio: their links end by supervision
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

    /// Switches the controller off: it ignores all packets, and its peers lose their links by supervision timeout.
    public func powerOff() {
        air.perform { _ in
            guard self.isPoweredOn else { return }
            self.reset()
            self.isPoweredOn = false
        }
    }

    /// Switches the controller on again, with the state of a reset. No effect once it was removed from its air.
    public func powerOn() {
        air.perform { air in
            if air.controllers.contains(where: { $0 === self }) { self.isPoweredOn = true }
        }
    }

    /// True while the controller advertises.
    public var isAdvertising: Bool { legacySet.isEnabled || sets.contains(where: \.isEnabled) }
    /// True while the controller scans.
    public var isScanning: Bool { scanner.isEnabled }
    /// True while the controller waits for a connection as a central.
    public var isInitiating: Bool { initiation != nil }

    // MARK: Links

    /// The links of this controller, in no particular order.
    public var links: [VirtualLink] { linkTable.ends.map(\.link) }

    /// The link with this connection handle; nil if there is none.
    public func link(handle: UInt16) -> VirtualLink? { linkTable[handle]?.link }

    private func conditionsChanged() {
        air.perform { _ in for end in self.linkTable.ends { end.link.conditionsChanged() } }
    }
}
