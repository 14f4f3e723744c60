import Adapters
import BluetoothModel
import BluetoothRuntime
import Foundation
import Harald
import VirtualTransport

/// A host of a world, with its central, its device, and the program's objects.
///
/// Proof of `@unchecked Sendable`: only the single thread of the world accesses it.
final class SimulatedHost: @unchecked Sendable {
    let index: Int
    /// The address of the adapter, which its central uses.
    let address: BluetoothAddress
    /// The address of its device. It is a separate one, so that links which the host's central initiates do not reveal
    /// the device.
    let deviceAddress: BluetoothAddress
    private(set) var adapter: Adapter
    let line: HostLine
    /// The number of the current life, from 0.
    private(set) var life = 0
    /// The directory of bonds and known devices; nil for none.
    private(set) var directory: String?
    /// The contents of the directory; nil without one.
    let disk: SimulatedDisk?
    private let radio: VirtualRadio
    private let configuration: VirtualControllerConfiguration
    let log: DeviceLog

    var central: Central?
    var device: LocalPeripheral?
    /// The central and the device of a host whose front door is CoreBluetooth.
    var coreCentral: (any CoreCentral)?
    var coreDevice: (any CoreDevice)?
    let door: Door
    /// True if its central uses private addresses. Such a host has no device: only bonded centrals could find it.
    let isPrivate: Bool
    /// A second device on the same adapter, with an address of its own.
    var twin: LocalPeripheral?
    var isTwinShown = false { didSet { if !isTwinShown, oldValue { twinHiddenSince = line.now } } }
    /// The time at which it last became undiscoverable.
    private(set) var twinHiddenSince: RadioInstant = .start
    /// True while the second device is being opened or closed.
    var isTwinBusy = false
    var twinAddress: BluetoothAddress { BluetoothAddress(value: deviceAddress.value | 0x100_0000, kind: .random) }
    /// The value that the second device has.
    var twinValue: [UInt8] { Stamp(host: index, place: 99, number: 1, length: 60).bytes }
    var published: PublishedService?
    /// The service that is added and removed at run time.
    var passing: PublishedService?
    /// The peripherals that the program holds, by host.
    var peripherals: [Int: Peripheral] = [:] {
        didSet {
            for (target, watch) in watches where peripherals[target] == nil {
                for task in watch.tasks { task.cancel() }
                watches[target] = nil
            }
        }
    }
    /// The readers of the states of these peripherals, by host.
    var watches: [Int: World.Watch] = [:]
    var listeners: [Listener] = []
    /// The hosts to which the program connects with reconnection.
    var stays: Set<Int> = []
    /// The hosts to which the program connects without reconnection.
    var passes: Set<Int> = []
    /// True while the central, or the device, is being opened or closed.
    var isJoining = false
    var isOpening = false
    /// The time at which the host last ended links on purpose, or became unreachable as a device.
    var lastEnding: Int64 = -1
    /// The last step that advertised.
    var lastShow: Step?
    /// True while the program makes its device discoverable and connectable.
    var isShown = false {
        didSet {
            guard isShown != oldValue else { return }
            if isShown { shownSince = line.now } else { hiddenSince = line.now }
        }
    }
    /// When it last became discoverable and connectable, and when it last ceased to be.
    private(set) var shownSince: RadioInstant = .start, hiddenSince: RadioInstant = .start
    /// When the program last began or ended to change its attributes.
    var changedSince: RadioInstant = .start
    /// True if a change was undone so soon that both may belong to one discovery.
    var hasUndoneChange = false
    /// When the program last forgot the keys of a peripheral, and with them its attributes, by host.
    var forgotten: [Int: RadioInstant] = [:]
    /// The faults that have not ended, and when the last fault or change of its attributes began or ended.
    var faults: Set<Verb> = []
    var lastFault: RadioInstant?
    /// True if values may be on their way for long: for the 30 s of a transaction of the attribute protocol.
    var isDisturbed: Bool {
        let last = max(lastFault ?? .start, changedSince)
        return !faults.isEmpty || last != .start && last + .seconds(35) > line.now
    }
    /// True if the program has cancelled an operation that sends values, whose values have numbers.
    var hasCancelledValues = false
    /// When an operation that may pair it with another host last ended.
    var lastPairing: RadioInstant?
    /// The hosts from which its central has just disconnected.
    var disconnected: Set<Int> = []
    /// The time since which its controller has scanned or connected without a request of the host.
    var unwantedSince: RadioInstant?
    /// The number of packets that its controller has dropped.
    var droppedPackets = 0
    /// The values of this device that centrals missed on links that did not end. The device counts the values that it
    /// drops.
    var missed: Set<MissedValue> = []

    /// Records a fault or the end of one.
    func note(_ step: Step) {
        lastFault = line.now
        switch step.verb {
        case .silence, .stall: faults.insert(step.verb)
        case .hear: faults.remove(.silence)
        case .answer: faults.remove(.stall)
        case .delay, .lose, .mute:
            if step.amount > 0 { faults.insert(step.verb) } else { faults.remove(step.verb) }
        default: break
        }
    }

    /// Records the end of all faults.
    func noteEndOfFaults() {
        if !faults.isEmpty { lastFault = line.now }
        faults = []
    }

    /// A value of a device that a central missed.
    struct MissedValue: Hashable {
        var central: Int
        var place: Place
        var number: Int
    }
    var isOn: Bool {
        get { line.isOn }
        set { line.isOn = newValue }
    }

    /// The library that the host's program uses.
    enum Door: Sendable {
        case harald
        /// A `CBCentralManager`, beside a device of `Harald` on the same adapter.
        case coreCentral
        /// A `CBPeripheralManager` alone.
        case coreDevice
    }

    var hasCentral: Bool { central != nil || coreCentral != nil }
    var hasDevice: Bool { device != nil || coreDevice != nil }

    func isConnected(to target: Int) -> Bool {
        coreCentral?.isConnected(to: target) ?? peripherals[target]?.isConnected ?? false
    }

    /// The source of its adapter, for managers of CoreBluetooth.
    var source: AdapterSource { radio.source(named: adapterName, configuration: configuration) }

    var name: String { "h\(index)" }
    /// The name of its adapter on the air, different in each life.
    var adapterName: String { "\(index).\(life)" }
    var options: AdapterOptions {
        AdapterOptions(
            storage: directory.map { .directory($0) } ?? .none,
            privateAddressRotationInterval: isPrivate ? Self.rotationInterval : nil)
    }
    /// The time after which a private address changes.
    static let rotationInterval = Duration.seconds(11)

    init(
        _ index: Int, radio: VirtualRadio, line: HostLine, log: DeviceLog, directory: String?, door: Door,
        program: Program
    ) {
        self.door = door
        isPrivate = program.privateCentral == index && door == .harald
        disk = directory.map { SimulatedDisk(directory: $0, seed: program.seed, host: index) }
        self.radio = radio
        self.directory = directory
        self.index = index
        self.line = line
        self.log = log
        address = BluetoothAddress(value: 0x51AE_0000_0001 + UInt64(index), kind: .public)
        // A peripheral manager has the adapter's address.
        deviceAddress =
            door == .coreDevice ? address : BluetoothAddress(value: 0xD1AE_0000_0001 + UInt64(index), kind: .random)
        var configuration = VirtualControllerConfiguration(address: address)
        if program.isTight {
            configuration.aclPacketCount = 2
            configuration.aclPacketLength = 27
        }
        if program.isOld { configuration.features.remove(.privacy) }
        self.configuration = configuration
        adapter = radio.adapter(named: "\(index).0", configuration: configuration)
    }

    /// Ends this life without closing anything, and starts the next one with a copy of the files.
    func beginLife() {
        life += 1
        if let old = directory {
            let new = "\(old)+"
            disk?.crash(to: new, at: line.now)
            directory = new
        }
        adapter = radio.adapter(named: adapterName, configuration: configuration)
        central = nil
        device = nil
        coreCentral?.end()
        coreCentral = nil
        coreDevice?.end()
        coreDevice = nil
        twin = nil
        isTwinShown = false
        isTwinBusy = false
        published = nil
        passing = nil
        peripherals = [:]
        listeners = []
        stays = []
        forgotten = [:]
        missed = []
        isShown = false
        isOn = true
        isJoining = false
        isOpening = false
    }
}
