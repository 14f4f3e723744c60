import Synchronization
import Testing

@testable import CoreBluetooth

/// Each misuse logs one line and has no other effect.
@Suite(.serialized, .timeLimit(.minutes(2))) struct MisuseTests {
    /// The log lines contain its name. Proof of `@unchecked Sendable`: it adds no state, and a manager may be called
    /// from any thread.
    final class MisusedManager: CBCentralManager, @unchecked Sendable {}

    /// The log lines about `subject` that `body` causes; other tests log lines at the same time.
    private func lines(about subject: String, _ body: () async -> Void) async -> [String] {
        let heard = Mutex<[String]>([])
        let listener: @Sendable (String) -> Void = { line in
            if line.contains(subject) { heard.withLock { $0.append(line) } }
        }
        Misuse.listener.withLock { $0 = listener }
        await body()
        Misuse.listener.withLock { $0 = nil }
        return heard.withLock { $0 }
    }

    @Test func aScanBeforeTheRadioIsOn() async {
        let recorder = CentralRecorder(queue: "central")
        let manager = MisusedManager(
            delegate: recorder, queue: namedQueue("central"),
            options: [HaraldManagerOptionAdapterKey: "unix:/nowhere/hci"])
        let lines = await lines(about: "MisusedManager") { manager.scanForPeripherals(withServices: nil) }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("[CoreBluetooth] API MISUSE: scanForPeripherals") == true)
        #expect(!manager.isScanning)
        #expect(await recorder.log.next("") == "state unsupported")
    }

    @Test func aWriteWithoutResponseWithoutTheProperty() async {
        let bench = await Bench()
        let extra = CBMutableService(type: CBUUID(nsuuid: UUID()), primary: true)
        let value = CBUUID(nsuuid: UUID())
        extra.characteristics = [
            CBMutableCharacteristic(
                type: value, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
        ]
        bench.deviceManager.add(extra)
        await bench.device.log.next("added")
        await bench.connect()
        bench.peripheral.discoverServices([extra.uuid])
        await bench.central.log.next("services ok")
        for service in bench.peripheral.services ?? [] { bench.peripheral.discoverCharacteristics(nil, for: service) }
        await bench.central.log.next("characteristics ok")
        let characteristic = bench.characteristic(value)
        let lines = await lines(about: value.uuidString) {
            bench.peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("has no property") == true)
        // Nothing was sent: the next write is the first that the device receives.
        bench.peripheral.writeValue(Data([1, 2]), for: characteristic, type: .withResponse)
        #expect(await bench.device.log.next("write") == "write \(value.uuidString)@0=2")
        #expect(bench.peripheral.canSendWriteWithoutResponse)
    }

    /// An option of a wrong type is ignored, and one line names it.
    @Test func advertisementDataOfWrongTypes() async {
        let bench = await Bench()
        bench.deviceManager.stopAdvertising()
        let marker = "startAdvertising(_:): kCBAdvData"
        let lines = await lines(about: marker) {
            bench.deviceManager.startAdvertising([
                CBAdvertisementDataLocalNameKey: 5, CBAdvertisementDataServiceUUIDsKey: ["180D"],
            ])
            await bench.device.log.next("advertising ok")
        }
        #expect(lines.count == 2)
        #expect(lines.contains { $0.contains("\(CBAdvertisementDataLocalNameKey) must be of type String, not Int") })
        #expect(lines.contains { $0.contains(CBAdvertisementDataServiceUUIDsKey) })
    }

    /// So are the options of scans, connections and managers.
    @Test func optionsOfWrongTypes() async {
        let bench = await Bench()
        await bench.find()
        let scan = await lines(about: "scanForPeripherals(withServices:options:): kCB") {
            bench.centralManager.scanForPeripherals(
                withServices: nil,
                options: [
                    CBCentralManagerScanOptionAllowDuplicatesKey: "yes",
                    CBCentralManagerScanOptionSolicitedServiceUUIDsKey: ["180D"],
                ])
            bench.centralManager.stopScan()
        }
        #expect(scan.count == 2)
        let connect = await lines(about: "connect(_:options:): kCB") {
            bench.centralManager.connect(
                bench.peripheral, options: [CBConnectPeripheralOptionEnableAutoReconnect: "yes"])
        }
        #expect(connect.count == 1)
        await bench.central.log.next("connect true")
        let events = await lines(about: "registerForConnectionEvents(options:): kCB") {
            bench.centralManager.registerForConnectionEvents(options: [.serviceUUIDs: "180D"])
        }
        #expect(events.count == 1)
        let manager = await lines(about: "init(delegate:queue:options:): ") {
            _ = CBCentralManager(
                delegate: nil, queue: nil,
                options: [
                    HaraldManagerOptionAdapterKey: bench.centralSource, HaraldManagerOptionDirectoryKey: 5,
                    CBCentralManagerOptionRestoreIdentifierKey: 5,
                ])
        }
        #expect(manager.count == 2)
    }

    @Test func aValueOfADeviceThatIsNotConnected() async {
        let bench = await Bench()
        let extra = CBMutableService(type: CBUUID(nsuuid: UUID()), primary: true)
        let value = CBUUID(nsuuid: UUID())
        extra.characteristics = [
            CBMutableCharacteristic(
                type: value, properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
        ]
        bench.deviceManager.add(extra)
        await bench.device.log.next("added")
        await bench.connect()
        bench.peripheral.discoverServices([extra.uuid])
        await bench.central.log.next("services ok")
        bench.peripheral.discoverCharacteristics(nil, for: bench.peripheral.services![0])
        await bench.central.log.next("characteristics ok")
        let characteristic = bench.characteristic(value)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        let lines = await lines(about: value.uuidString) {
            bench.peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
        }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("does not belong to") == true)
        // The delegate receives the following events, and none of before.
        let before = bench.central.log.all.count
        bench.centralManager.connect(bench.peripheral)
        #expect(await bench.central.log.next("") == "connect true")
        #expect(bench.central.log.all.dropFirst(before).first == "connect true")
    }
}
