import BluetoothModel
import Foundation
import Harald
import HostBackend
import VirtualBluetooth

/// One host of a world, with its central, its device, and what the program did with them. `@unchecked Sendable`: the one
/// thread of the world has it.
final class SimulatedHost: @unchecked Sendable {
    let index: Int
    /// Its central's, which is the adapter's.
    let address: BluetoothAddress
    /// Its device has its own: links that the host begins show nothing of the device.
    let deviceAddress: BluetoothAddress
    private(set) var adapter: Adapter
    let line: HostLine
    /// Which life it lives, from 0 on.
    private(set) var life = 0
    /// Where it keeps bonds and known devices; nil for nowhere.
    private(set) var directory: String?
    private let radio: VirtualRadio
    private let isTight: Bool
    let log: DeviceLog

    var central: Central?
    var device: LocalPeripheral?
    var published: PublishedService?
    /// The service that comes and goes.
    var passing: PublishedService?
    /// The devices that the program holds, by their hosts.
    var peripherals: [Int: Peripheral] = [:]
    var listeners: [Listener] = []
    /// Those that the program connects to and wants to stay connected to.
    var stays: Set<Int> = []
    /// Those that it connected to without that.
    var passes: Set<Int> = []
    /// Whether its central, or its device, is being opened or closed.
    var isJoining = false
    var isOpening = false
    /// When the host last ended links on purpose, or could not be reached as a device.
    var lastEnding: Int64 = -1
    /// Whether its device can be found and connected to as far as the program decides.
    var isShown = false
    var isOn = true

    var name: String { "h\(index)" }
    /// The name of its adapter on the air: each life has one of its own.
    var adapterName: String { "\(index).\(life)" }
    var options: AdapterOptions { AdapterOptions(storage: directory.map { .directory($0) } ?? .none) }

    init(_ index: Int, radio: VirtualRadio, line: HostLine, log: DeviceLog, directory: String?, isTight: Bool) {
        self.radio = radio
        self.directory = directory
        self.isTight = isTight
        self.index = index
        self.line = line
        self.log = log
        address = BluetoothAddress(value: 0x51AE_0000_0001 + UInt64(index), kind: .public)
        deviceAddress = BluetoothAddress(value: 0xD1AE_0000_0001 + UInt64(index), kind: .random)
        adapter = Self.adapter(on: radio, "\(index).0", address, isTight)
    }

    private static func adapter(
        on radio: VirtualRadio, _ name: String, _ address: BluetoothAddress, _ isTight: Bool
    ) -> Adapter {
        var configuration = VirtualControllerConfiguration(address: address)
        if isTight {
            configuration.aclPacketCount = 2
            configuration.aclPacketLength = 27
        }
        return radio.adapter(named: name, configuration: configuration)
    }

    /// Ends this life without a word, and begins another with what the files held at that moment.
    func beginLife() {
        life += 1
        if let old = directory {
            let new = "\(old)+"
            try? FileManager.default.copyItem(atPath: old, toPath: new)
            directory = new
        }
        adapter = Self.adapter(on: radio, adapterName, address, isTight)
        central = nil
        device = nil
        published = nil
        passing = nil
        peripherals = [:]
        listeners = []
        stays = []
        isShown = false
        isOn = true
        isJoining = false
        isOpening = false
    }
}
