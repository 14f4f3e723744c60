import BluetoothModel
import CoreBluetooth
import Testing
import VirtualTransport

/// A central manager and a peripheral manager on one virtual air. The device has a characteristic of each kind.
///
/// Proof of `@unchecked Sendable`: each variable is set before the managers' queues read it, or is used by the test's
/// task only.
final class Bench: @unchecked Sendable {
    static let service = CBUUID(string: "FFF0")
    static let fixed = CBUUID(string: "FFF1"), dynamic = CBUUID(string: "FFF2"), sink = CBUUID(string: "FFF3")
    static let notifying = CBUUID(string: "FFF4"), indicating = CBUUID(string: "FFF5"), locked = CBUUID(string: "FFF6")

    let radio: VirtualRadio
    let centralQueue = namedQueue("central")
    let deviceQueue = namedQueue("device")
    let central: CentralRecorder
    let device: PeripheralRecorder
    var centralManager: CBCentralManager!
    var deviceManager: CBPeripheralManager!
    let notifying: CBMutableCharacteristic
    let indicating: CBMutableCharacteristic
    var peripheral: CBPeripheral!
    let published: CBMutableService
    let centralSource: AdapterSource
    let deviceSource: AdapterSource

    init(
        directory: String? = nil, pace: AirPace = .unpaced,
        pairing: (central: HaraldPairing?, device: HaraldPairing?) = (nil, nil)
    ) async {
        radio = VirtualRadio(pace: pace)
        centralSource = radio.source(named: "central")
        deviceSource = radio.source(named: "device")
        central = CentralRecorder(queue: "central")
        device = PeripheralRecorder(queue: "device")
        notifying = CBMutableCharacteristic(
            type: Self.notifying, properties: [.read, .notify], value: nil, permissions: .readable)
        indicating = CBMutableCharacteristic(
            type: Self.indicating, properties: .indicate, value: nil, permissions: [])
        published = CBMutableService(type: Self.service, primary: true)
        let described = CBMutableCharacteristic(
            type: Self.fixed, properties: .read, value: Data(0..<20), permissions: .readable)
        described.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "twenty bytes"),
            CBMutableDescriptor(
                type: CBUUID(string: CBUUIDCharacteristicFormatString), value: Data([4, 0, 0, 0x27, 1, 0, 0])),
        ]
        published.characteristics = [
            described,
            CBMutableCharacteristic(
                type: Self.dynamic, properties: [.read, .write], value: nil, permissions: [.readable, .writeable]),
            CBMutableCharacteristic(
                type: Self.sink, properties: .writeWithoutResponse, value: nil, permissions: .writeable),
            notifying, indicating,
            CBMutableCharacteristic(
                type: Self.locked, properties: .read, value: nil, permissions: [.readable, .readEncryptionRequired]),
        ]
        deviceManager = CBPeripheralManager(
            delegate: device, queue: deviceQueue, options: options(deviceSource, directory, pairing.device))
        await device.log.next("state poweredOn")
        deviceManager.add(published)
        await device.log.next("added FFF0 ok")
        deviceManager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Bench", CBAdvertisementDataServiceUUIDsKey: [Self.service],
        ])
        await device.log.next("advertising ok")
        centralManager = CBCentralManager(
            delegate: central, queue: centralQueue, options: options(centralSource, directory, pairing.central))
        await central.log.next("state poweredOn")
    }

    func options(
        _ source: AdapterSource, _ directory: String? = nil, _ pairing: HaraldPairing? = nil
    ) -> [String: Any] {
        var options: [String: Any] = [HaraldManagerOptionAdapterKey: source]
        options[HaraldManagerOptionDirectoryKey] = directory
        options[HaraldManagerOptionPairingKey] = pairing
        return options
    }

    /// Finds the device and connects to it.
    func connect(_ options: [String: Any]? = nil) async {
        await find()
        centralManager.connect(peripheral, options: options)
        await central.log.next("connect true")
    }

    /// Connects and opens an L2CAP channel, which both recorders then have.
    func openChannel() async {
        deviceManager.publishL2CAPChannel(withEncryption: false)
        await device.log.next("published ok true")
        await connect()
        peripheral.openL2CAPChannel(device.psm)
        await central.log.next("channel ok")
        await device.log.next("channel ok")
    }

    func find() async {
        central.onDiscover = { [self] manager, found in
            manager.stopScan()
            peripheral = found
            found.delegate = central
        }
        centralManager.scanForPeripherals(withServices: [Self.service])
        await central.log.next("discover")
        central.onDiscover = nil
    }

    /// Connects and discovers everything.
    func explore() async {
        await connect()
        peripheral.discoverServices([Self.service])
        await central.log.next("services ok")
        guard let service = peripheral.services?.first else {
            Issue.record("the device has no service")
            return
        }
        peripheral.discoverCharacteristics(nil, for: service)
        await central.log.next("characteristics ok")
    }

    func characteristic(_ uuid: CBUUID) -> CBCharacteristic {
        let all = (peripheral.services ?? []).flatMap { $0.characteristics ?? [] }
        // A test that requests an attribute that does not exist, or before exploring, is wrong.
        guard let found = all.first(where: { $0.uuid == uuid }) else {
            preconditionFailure("\(uuid) was not discovered")
        }
        return found
    }

    /// Changes the faults of a controller.
    func fault(_ name: String, _ change: @escaping @Sendable (VirtualController) -> Void) async {
        let radio = radio
        await radio.loop.run { if let controller = radio.controller(named: name) { change(controller) } }
    }

    /// The connection intervals of the links, in units of 1.25 ms.
    var intervals: [Int] {
        get async {
            let radio = radio
            return await radio.loop.run { radio.air.value.allLinks.map { Int($0.parameters.intervalUnits) } }
        }
    }

    /// The number of links on the air.
    var links: Int {
        get async { await radio.linkCount }
    }
}

extension VirtualController {
    /// Ends its links with the next packet, as after a short time out of range.
    func breakLinks() {
        for link in links {
            link.faults.disconnectReason = .connectionTimeout
            link.faults.disconnectAtPacket = link.packetCount + 1
        }
    }
}
