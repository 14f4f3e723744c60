import Adapters
import BluetoothModel
import CoreBluetooth
import Testing
import VirtualTransport

@Suite(.timeLimit(.minutes(2))) struct ManagerTests {
    /// The last advertisement, set before its event is logged.
    final class Found { var advertisement: [String: Any] = [:] }

    @Test func aMissingAdapterIsUnsupported() async {
        let recorder = CentralRecorder(queue: "central")
        let manager = CBCentralManager(
            delegate: recorder, queue: namedQueue("central"),
            options: [HaraldManagerOptionAdapterKey: "unix:/nowhere/hci"])
        #expect(manager.state == .unknown)
        #expect(await recorder.log.next("state") == "state unsupported")
        // A misuse has no effect.
        manager.scanForPeripherals(withServices: nil)
        #expect(!manager.isScanning)
        #expect(manager.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
    }

    @Test func aDeviceIsReportedAgainIfItsScanResponseHasMoreData() async {
        let bench = await Bench()
        bench.deviceManager.stopAdvertising()
        let long = CBUUID(string: "B0000000-1234-5678-9ABC-DEF012345678")
        bench.deviceManager.startAdvertising([
            CBAdvertisementDataLocalNameKey: "A name of its own", CBAdvertisementDataServiceUUIDsKey: [long],
        ])
        await bench.device.log.next("advertising ok")
        bench.centralManager.scanForPeripherals(withServices: [long])
        #expect(bench.centralManager.isScanning)
        await bench.central.log.next("discover A name of its own")
        // Each device is reported once for its advertisement and once for new content of its scan response.
        #expect(bench.central.log.count("discover") <= 2)
        bench.centralManager.stopScan()
        #expect(!bench.centralManager.isScanning)
    }

    @Test func duplicateAdvertisementsAreReportedIfRequested() async {
        let bench = await Bench()
        bench.centralManager.scanForPeripherals(
            withServices: [Bench.service], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        for _ in 0..<4 { await bench.central.log.next("discover Bench [\"FFF0\"] connectable true rssi true") }
        bench.centralManager.stopScan()
    }

    /// A device that solicits a service is found by a scan for that service, and by no other.
    @Test func aDeviceThatSolicitsAServiceIsFound() async throws {
        let radio = VirtualRadio()
        let lease = try await AdapterRegistry.shared.open(radio.source(named: "device"), options: .init())
        var data = AdvertisingData(localName: "Asking", flags: .standard)
        data.solicitedServiceUUIDs = [0x1805]
        let server = try await DescriptorServer.started(on: lease, advertising: data)
        let recorder = CentralRecorder(queue: "central")
        let manager = CBCentralManager(
            delegate: recorder, queue: namedQueue("central"),
            options: [HaraldManagerOptionAdapterKey: radio.source(named: "central")])
        await recorder.log.next("state poweredOn")
        let found = Transferred(Found())
        recorder.onAdvertisement = { found.value.advertisement = $0 }
        let key = CBCentralManagerScanOptionSolicitedServiceUUIDsKey
        // No device solicits this one.
        manager.scanForPeripherals(withServices: nil, options: [key: [CBUUID(string: "1806")]])
        manager.scanForPeripherals(withServices: [Bench.service], options: [key: [CBUUID(string: "1805")]])
        await recorder.log.next("discover Asking")
        manager.stopScan()
        #expect(
            found.value.advertisement[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] == [
                CBUUID(string: "1805")
            ])
        withExtendedLifetime(server) {}
        await lease.release()
    }

    @Test func aConnectionWithAStartDelayBeginsLater() async {
        let bench = await Bench()
        await bench.find()
        bench.centralManager.connect(bench.peripheral, options: [CBConnectPeripheralOptionStartDelayKey: 0.02])
        #expect(bench.peripheral.state != .disconnected)
        await bench.central.log.next("connect true")
    }

    @Test func identifiersArePersistentAndObjectsKeepTheirIdentity() async {
        let bench = await Bench()
        await bench.find()
        let peripheral = bench.peripheral!
        let retrieved = bench.centralManager.retrievePeripherals(withIdentifiers: [peripheral.identifier, UUID()])
        #expect(retrieved.count == 1)
        #expect(retrieved.first === peripheral)
        #expect(bench.centralManager.retrieveConnectedPeripherals(withServices: [Bench.service]).isEmpty)
        bench.centralManager.connect(peripheral)
        await bench.central.log.next("connect true")
        peripheral.discoverServices(nil)
        await bench.central.log.next("services ok")
        let connected = bench.centralManager.retrieveConnectedPeripherals(withServices: [Bench.service])
        #expect(connected.first === peripheral)
        #expect(bench.centralManager.retrieveConnectedPeripherals(withServices: []).isEmpty)
    }

    @Test func twoManagersOnOneDeviceEndOnlyTheirOwnUse() async {
        let bench = await Bench()
        await bench.explore()
        let other = CentralRecorder(queue: "other")
        let manager = CBCentralManager(
            delegate: other, queue: namedQueue("other"), options: bench.options(bench.centralSource))
        await other.log.next("state poweredOn")
        let theirs = manager.retrievePeripherals(withIdentifiers: [bench.peripheral.identifier])[0]
        #expect(theirs !== bench.peripheral)
        theirs.delegate = other
        manager.connect(theirs)
        await other.log.next("connect true")
        #expect(await bench.links == 1)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        theirs.discoverServices(nil)
        #expect(await other.log.next("services") == "services ok [\"FFF0\"]")
        manager.cancelPeripheralConnection(theirs)
        await other.log.next("disconnect ok")
        #expect(await bench.links == 0)
    }

    @Test func releasingAPeripheralEndsItsConnection() async {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed")
        bench.peripheral = nil
        // The other side receives the end of the link.
        await bench.device.log.next("unsubscribed FFF4 0")
    }

    @Test func connectionEvents() async {
        let bench = await Bench()
        bench.centralManager.registerForConnectionEvents(options: [:])
        await bench.connect()
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        await bench.central.log.next("event peerDisconnected")
        #expect(bench.central.log.count("event peerConnected") == 1)
    }

    @Test func misuseIsReportedInOneLine() async {
        let bench = await Bench()
        await bench.explore()
        let characteristic = bench.characteristic(Bench.fixed)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        bench.peripheral.readValue(for: characteristic)
        bench.peripheral.discoverServices(nil)
        bench.peripheral.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
        #expect(bench.peripheral.canSendWriteWithoutResponse == false)
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        #expect(bench.central.log.count("value") == 0)
    }

    @Test func theStateOfTheLastRunIsRestored() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cb-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let bench = await Bench(directory: directory.path)
        var options = bench.options(bench.centralSource, directory.path)
        options[CBCentralManagerOptionRestoreIdentifierKey] = "a/b"
        let first = CentralRecorder(queue: "first")
        var manager: CBCentralManager? = CBCentralManager(delegate: first, queue: namedQueue("first"), options: options)
        #expect(await first.log.next("") == "state poweredOn")
        await bench.find()
        var device: CBPeripheral? = manager?.retrievePeripherals(withIdentifiers: [bench.peripheral.identifier])[0]
        manager?.connect(try #require(device))
        await first.log.next("connect true")
        manager?.scanForPeripherals(withServices: [Bench.service])
        // The scan runs once a device was found.
        await first.log.next("discover")
        let identifier = device?.identifier
        // The program dies.
        await release(&manager)
        device = nil
        let second = CentralRecorder(queue: "second")
        let restoredManager = CBCentralManager(delegate: second, queue: namedQueue("second"), options: options)
        #expect(await second.log.next("") == "restore 1 peripherals, scan [\"FFF0\"], state unknown")
        #expect(second.restored.first?.identifier == identifier)
        #expect(await second.log.next("") == "state poweredOn")
        await second.log.next("connect true")
        #expect(restoredManager.isScanning)
        let file = directory.appendingPathComponent("restoration-central-a_2fb.json")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
