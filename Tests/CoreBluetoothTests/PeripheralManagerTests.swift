import Testing
import VirtualTransport

@testable import CoreBluetooth

@Suite(.timeLimit(.minutes(2))) struct PeripheralManagerTests {
    @Test func invalidServicesAreRefused() async {
        let bench = await Bench()
        bench.deviceManager.add(bench.published)
        #expect(await bench.device.log.next("added") == "added FFF0 CBError.invalidParameters")
        bench.deviceManager.add(CBMutableService(type: CBUUID(string: "1800"), primary: true))
        #expect(await bench.device.log.next("added") == "added 1800 CBError.uuidNotAllowed")
        let wrong = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        wrong.characteristics = [
            CBMutableCharacteristic(
                type: Bench.fixed, properties: [.read, .write], value: Data([1]), permissions: [.readable, .writeable])
        ]
        bench.deviceManager.add(wrong)
        #expect(await bench.device.log.next("added") == "added FFE0 CBError.invalidParameters")
        bench.deviceManager.startAdvertising(nil)
        #expect(await bench.device.log.next("advertising") == "advertising CBError.alreadyAdvertising")
        bench.deviceManager.stopAdvertising()
        #expect(!bench.deviceManager.isAdvertising)
        bench.deviceManager.removeAllServices()
        bench.deviceManager.add(bench.published)
        #expect(await bench.device.log.next("added") == "added FFF0 ok")
        #expect(bench.deviceManager.updateValue(Data([1]), for: bench.notifying, onSubscribedCentrals: nil))
        bench.deviceManager.remove(bench.published)
        #expect(!bench.deviceManager.updateValue(Data([1]), for: bench.notifying, onSubscribedCentrals: nil))
        bench.deviceManager.add(bench.published)
        #expect(await bench.device.log.next("added") == "added FFF0 ok")
    }

    @Test func advertisingThatTheAdapterEndedCanBeStartedAgain() async {
        let bench = await Bench()
        #expect(bench.deviceManager.isAdvertising)
        bench.deviceManager.advertisingEnded()
        #expect(!bench.deviceManager.isAdvertising)
    }

    @Test func aFullQueueIsReportedAndThenItsFreeSpace() async {
        let bench = await Bench(pace: .connectionInterval)
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed")
        #expect(bench.device.centrals[0].maximumUpdateValueLength > 20)
        var sent = 0
        while bench.deviceManager.updateValue(
            Data(repeating: 1, count: 200), for: bench.notifying, onSubscribedCentrals: nil)
        {
            sent += 1
        }
        #expect(sent >= 16)
        await bench.device.log.next("ready to update")
        #expect(bench.deviceManager.updateValue(Data([2]), for: bench.notifying, onSubscribedCentrals: nil))
        for _ in 0...sent { await bench.central.log.next("value FFF4 ok") }
    }

    /// A value has 512 octets at most, also where a packet has room for more (Core 6.0, Vol 3, Part F, 3.2.9).
    @Test(arguments: [false, true]) func anUpdateIsTruncatedTo512Octets(isIndicated: Bool) async {
        let bench = await Bench()
        let uuid = isIndicated ? Bench.indicating : Bench.notifying
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(uuid))
        await bench.device.log.next("subscribed")
        #expect(bench.device.centrals[0].maximumUpdateValueLength == 512)
        let value = Data((0..<600).map { UInt8(truncatingIfNeeded: $0) })
        let characteristic = isIndicated ? bench.indicating : bench.notifying
        #expect(bench.deviceManager.updateValue(value, for: characteristic, onSubscribedCentrals: nil))
        await bench.central.log.next("value")
        #expect(bench.characteristic(uuid).value == value.prefix(512))
    }

    /// In units of 1.25 ms: of the requested interval the central's controller selects the upper limit.
    @Test(arguments: [(CBPeripheralManagerConnectionLatency.low, 12), (.medium, 60), (.high, 240)])
    func aConnectionLatencyIsRequestedFromTheCentral(
        _ latency: CBPeripheralManagerConnectionLatency, _ interval: Int
    ) async {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed")
        bench.deviceManager.setDesiredConnectionLatency(latency, for: bench.device.centrals[0])
        // The change has no event at the peripheral, so the interval is polled.
        while await !bench.intervals.contains(interval) { await Task.yield() }
    }

    @Test func manyWritesWithoutResponseWaitForRoom() async {
        let bench = await Bench(pace: .connectionInterval)
        await bench.explore()
        let sink = bench.characteristic(Bench.sink)
        var sent = 0
        while bench.peripheral.canSendWriteWithoutResponse {
            bench.peripheral.writeValue(Data(repeating: 1, count: 200), for: sink, type: .withoutResponse)
            sent += 1
        }
        // A later request does not overtake an earlier write.
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        await bench.device.log.next("read FFF2")
        #expect(bench.device.log.count("write FFF3") == sent)
        await bench.central.log.next("ready to write")
        #expect(bench.peripheral.canSendWriteWithoutResponse)
    }

    @Test(arguments: [false, true]) func aDisconnectedCentralIsUnsubscribed(isLost: Bool) async {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed FFF4 1")
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.indicating))
        await bench.device.log.next("subscribed FFF5 1")
        if isLost {
            await bench.radio.disconnect(adapterNamed: "central")
        } else {
            bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        }
        // In the order of the characteristics.
        #expect(await bench.device.log.next("unsubscribed") == "unsubscribed FFF4 0")
        #expect(await bench.device.log.next("unsubscribed") == "unsubscribed FFF5 0")
        #expect(bench.notifying.subscribedCentrals?.isEmpty == true)
    }

    @Test func aDisconnectedCentralIsUnsubscribedFromEachAttributeOnce() async {
        let bench = await Bench()
        await bench.explore()
        for uuid in [Bench.indicating, Bench.notifying] {
            bench.peripheral.setNotifyValue(true, for: bench.characteristic(uuid))
            await bench.device.log.next("subscribed \(uuid.uuidString) 1")
        }
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        for uuid in [Bench.indicating, Bench.notifying] {
            #expect(await bench.device.log.next("unsubscribed") == "unsubscribed \(uuid.uuidString) 0")
        }
    }

    @Test func publishedServicesAndAdvertisingAreRestored() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cb-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let radio = VirtualRadio()
        let source = radio.source(named: "device")
        let options: [String: Any] = [
            HaraldManagerOptionAdapterKey: source, HaraldManagerOptionDirectoryKey: directory.path,
            CBPeripheralManagerOptionRestoreIdentifierKey: "device",
        ]
        let first = PeripheralRecorder(queue: "first")
        var manager: CBPeripheralManager? = CBPeripheralManager(
            delegate: first, queue: namedQueue("first"), options: options)
        await first.log.next("state poweredOn")
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "2A19"), properties: .read, value: Data([87]), permissions: .readable)
        ]
        manager?.add(service)
        await first.log.next("added 180F ok")
        manager?.startAdvertising([CBAdvertisementDataLocalNameKey: "Again"])
        await first.log.next("advertising ok")
        manager = nil
        let second = PeripheralRecorder(queue: "second")
        let restored = CBPeripheralManager(delegate: second, queue: namedQueue("second"), options: options)
        #expect(await second.log.next("") == "restore [\"180F\"] Again")
        #expect(await second.log.next("") == "state poweredOn")
        #expect(await second.log.next("") == "advertising ok")
        #expect(restored.isAdvertising)
    }

    /// The objects of centrals are released with the manager, and with them the adapter.
    @Test func aReleasedManagerLeavesNoCentrals() async throws {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        await bench.central.log.next("value FFF2 ok")
        weak let central = bench.deviceQueue.sync { bench.device.requests.first?.central }
        #expect(central != nil)
        bench.deviceQueue.sync { bench.device.requests = [] }
        bench.deviceManager = nil
        while central != nil { await Task.yield() }
    }

    /// A permission for encrypted links alone permits reading on them.
    @Test func aPermissionForEncryptedLinksIsOne() async {
        let bench = await Bench()
        let service = CBMutableService(type: CBUUID(string: "FFD0"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FFD1"), properties: [.read, .write], value: nil,
                permissions: [.readEncryptionRequired, .writeEncryptionRequired])
        ]
        bench.deviceManager.add(service)
        #expect(await bench.device.log.next("added") == "added FFD0 ok")
        await bench.connect()
        bench.peripheral.discoverServices([service.uuid])
        await bench.central.log.next("services ok")
        guard let found = bench.peripheral.services?.first(where: { $0.uuid == service.uuid }) else {
            Issue.record("the service was not found")
            return
        }
        bench.peripheral.discoverCharacteristics(nil, for: found)
        await bench.central.log.next("characteristics ok")
        let characteristic = bench.characteristic(CBUUID(string: "FFD1"))
        bench.peripheral.readValue(for: characteristic)
        #expect(await bench.central.log.next("value FFD1") == "value FFD1 ok 2A")
        bench.peripheral.writeValue(Data([7]), for: characteristic, type: .withResponse)
        #expect(await bench.central.log.next("written FFD1") == "written FFD1 ok")
    }
}
