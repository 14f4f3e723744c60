import CoreBluetooth
import Testing
import VirtualBluetooth

/// A session in which each delegate method is called.
@Suite(.timeLimit(.minutes(3))) struct EveryDelegateMethodTests {
    @Test func everyMethodIsCalledOnItsQueue() async throws {
        let bench = await Bench(pace: .connectionInterval)
        bench.centralManager.registerForConnectionEvents(options: [:])
        await bench.connect()
        await bench.central.log.next("name")
        try await interact(bench)
        await channels(bench)
        bench.deviceManager.add(CBMutableService(type: CBUUID(string: "FFE0"), primary: true))
        await bench.central.log.next("modified")
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        await bench.central.log.next("event peerDisconnected")
        bench.centralManager.connect(bench.peripheral, options: [CBConnectPeripheralOptionRequiresANCS: true])
        await bench.central.log.next("fail")
        let methods = await bench.central.log.methods.union(bench.device.log.methods).union(newer(bench))
            .union(restored(bench))

        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("APISurface/symbols.txt")
        let declared = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").compactMap { line in
            let name = line.split(separator: "\t")[1].split(separator: ".", maxSplits: 1)
            return name[0].hasSuffix("Delegate") && name.count == 2 ? String(name[1]) : nil
        }
        #expect(declared.count == 38)
        // Methods that the system never calls here: there are no such services, and sessions end before they measure.
        let never: Set = [
            "centralManager(_:didUpdateANCSAuthorizationFor:)", "peripheral(_:didReceive:error:)",
        ]
        #expect(Set(declared).subtracting(never).subtracting(methods).isEmpty)
        #expect(methods.isDisjoint(with: never))
        // Two of them are declared twice, for characteristics and for descriptors.
        #expect(methods.count == 38 - never.count)
    }

    /// Discovery, values, and both ways of notifications.
    private func interact(_ bench: Bench) async throws {
        let (central, device) = (bench.central.log, bench.device.log)
        let peripheral = try #require(bench.peripheral)
        peripheral.discoverServices([Bench.service])
        await central.next("services ok")
        let service = try #require(peripheral.services?.first)
        peripheral.discoverIncludedServices(nil, for: service)
        await central.next("included ok")
        peripheral.discoverCharacteristics(nil, for: service)
        await central.next("characteristics ok")
        let fixed = bench.characteristic(Bench.fixed)
        peripheral.discoverDescriptors(for: fixed)
        await central.next("descriptors ok")
        let descriptor = try #require(fixed.descriptors?.first)
        peripheral.readValue(for: descriptor)
        await central.next("descriptor 2901 ok")
        peripheral.writeValue(Data([1]), for: descriptor)
        await central.next("descriptor written 2901 CBATTError.writeNotPermitted")
        let dynamic = bench.characteristic(Bench.dynamic)
        peripheral.readValue(for: dynamic)
        await device.next("read FFF2")
        await central.next("value FFF2 ok")
        peripheral.writeValue(Data([1]), for: dynamic, type: .withResponse)
        await device.next("write FFF2")
        await central.next("written FFF2 ok")
        let sink = bench.characteristic(Bench.sink)
        while peripheral.canSendWriteWithoutResponse {
            peripheral.writeValue(Data(repeating: 1, count: 200), for: sink, type: .withoutResponse)
        }
        await central.next("ready to write")
        let notifying = bench.characteristic(Bench.notifying)
        peripheral.setNotifyValue(true, for: notifying)
        await central.next("notifying FFF4 ok true")
        await device.next("subscribed FFF4")
        while bench.deviceManager.updateValue(
            Data(repeating: 1, count: 200), for: bench.notifying, onSubscribedCentrals: nil)
        {}
        await device.next("ready to update")
        peripheral.setNotifyValue(false, for: notifying)
        await central.next("notifying FFF4 ok false")
        await device.next("unsubscribed FFF4")
        peripheral.readRSSI()
        await central.next("rssi ok")
        peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
        await central.next("sounding CBError.operationNotSupported")
        // There is no session to end; the manager logs one line.
        peripheral.cancelChannelSoundingSession()
    }

    private func channels(_ bench: Bench) async {
        bench.deviceManager.publishL2CAPChannel(withEncryption: false)
        await bench.device.log.next("published ok")
        bench.peripheral.openL2CAPChannel(bench.device.psm)
        await bench.central.log.next("channel ok")
        await bench.device.log.next("channel ok")
        bench.deviceManager.unpublishL2CAPChannel(bench.device.psm)
        await bench.device.log.next("unpublished ok")
    }

    /// Returns the called methods that replace older ones.
    private func newer(_ bench: Bench) async -> Set<String> {
        let manager = TimestampRecorder(queue: "central")
        let signal = SignalRecorder(queue: "central")
        bench.centralManager.delegate = manager
        bench.peripheral.delegate = signal
        bench.centralManager.connect(bench.peripheral)
        await manager.log.next("connect")
        bench.peripheral.readRSSI()
        await signal.log.next("rssi ok")
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await manager.log.next("disconnect ok")
        return manager.log.methods.union(signal.log.methods)
    }

    /// Managers whose program is started again.
    private func restored(_ bench: Bench) async -> Set<String> {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cb-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        var options = bench.options(bench.radio.source(named: "again"), directory.path)
        options[CBCentralManagerOptionRestoreIdentifierKey] = "again"
        options[CBPeripheralManagerOptionRestoreIdentifierKey] = "again"
        var methods: Set<String> = []
        for run in 1...2 {
            let (central, device) = (CentralRecorder(queue: "central"), PeripheralRecorder(queue: "device"))
            let centralManager = CBCentralManager(delegate: central, queue: bench.centralQueue, options: options)
            let deviceManager = CBPeripheralManager(delegate: device, queue: bench.deviceQueue, options: options)
            await central.log.next(run == 1 ? "state poweredOn" : "restore")
            await device.log.next(run == 1 ? "state poweredOn" : "restore")
            if run == 1 {
                centralManager.scanForPeripherals(withServices: nil)
                await central.log.next("discover")
                deviceManager.startAdvertising([CBAdvertisementDataLocalNameKey: "Again"])
                await device.log.next("advertising ok")
            }
            methods.formUnion(central.log.methods.union(device.log.methods))
            withExtendedLifetime((centralManager, deviceManager)) {}
        }
        return methods
    }
}
