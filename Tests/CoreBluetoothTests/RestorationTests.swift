import CoreBluetooth
import CoreBluetoothExamples
import Testing
import VirtualTransport

/// The restored state of a program that was killed and started again.
@Suite(.timeLimit(.minutes(3))) struct RestorationTests {
    /// Kills the program while it receives notifications: the next run has the device, its discovered attributes and
    /// its values, without a request.
    @Test func aKilledProgramIsRestored() async throws {
        let radio = VirtualRadio()
        let air = try await ToolAir(radio: radio)
        let strapLog = EventLog()
        let strap = SimulatedStrap(
            queue: DispatchQueue(label: "strap"), options: [HaraldManagerOptionAdapterKey: radio.source(named: "strap")]
        ) { strapLog.add($0) }
        await strapLog.next("advertising")
        let data = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cb-restored-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: data) }
        let tree = "180D[2A37(2902)!]"

        let (first, firstLines) = try air.start("RestorationTool", data: data)
        #expect(await firstLines.next("") == "state poweredOn")
        #expect(await firstLines.next("connected") == "connected ")
        await firstLines.next("notifying true")
        await firstLines.next("value 2A37")
        // The state is written before the next operation, but by another thread than the one that prints.
        let file = data.appendingPathComponent("harald/restoration-central-strap.json")
        while (try? String(contentsOf: file, encoding: .utf8))?.contains("\"isNotifying\" : true") != true {
            await Task.yield()
        }
        first.signal(SIGKILL)

        let (second, lines) = try air.start("RestorationTool", data: data)
        #expect(await lines.next("") == "restored 1 \(tree)")
        #expect(await lines.next("") == "state poweredOn")
        #expect(await lines.next("") == "connected \(tree)")
        // It was not requested in this run.
        #expect(await lines.next("") == "value 2A37")
        second.signal(SIGKILL)
        withExtendedLifetime(strap) {}
        await air.close()
    }

    /// A scan and a connection that the program ended, by a call or by releasing the device, are not restored.
    @Test(arguments: [false, true]) func whatTheProgramEndedIsNotRestored(isReleased: Bool) async {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cb-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let bench = await Bench()
        await bench.find()
        var options = bench.options(bench.radio.source(named: "app"), directory.path)
        options[CBCentralManagerOptionRestoreIdentifierKey] = "app"
        let first = CentralRecorder(queue: "first")
        var manager: CBCentralManager? = CBCentralManager(
            delegate: first, queue: namedQueue("first"), options: options)
        await first.log.next("state poweredOn")
        manager?.scanForPeripherals(withServices: [Bench.service])
        await first.log.next("discover")
        manager?.stopScan()
        var device = manager?.retrievePeripherals(withIdentifiers: [bench.peripheral.identifier]).first
        if let device { manager?.connect(device) }
        await first.log.next("connect true")
        if isReleased {
            device = nil
            while await bench.links > 0 { await Task.yield() }
        } else {
            if let device { manager?.cancelPeripheralConnection(device) }
            await first.log.next("disconnect ok")
        }
        manager = nil
        device = nil

        let second = CentralRecorder(queue: "second")
        let restored = CBCentralManager(delegate: second, queue: namedQueue("second"), options: options)
        #expect(await second.log.next("") == "state poweredOn")
        withExtendedLifetime(restored) {}
    }

    /// The services of a device that changed meanwhile are reported as invalid; unchanged ones stay, with or without
    /// discovered characteristics.
    @Test(arguments: [true, false])
    func servicesThatChangedMeanwhileAreInvalidated(knowsCharacteristics: Bool) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cb-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let bench = await Bench()
        let extra = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        extra.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FFE1"), properties: .read, value: Data([1]), permissions: .readable)
        ]
        bench.deviceManager.add(extra)
        await bench.device.log.next("added FFE0 ok")
        var options = bench.options(bench.radio.source(named: "app"), directory.path)
        options[CBCentralManagerOptionRestoreIdentifierKey] = "app"

        let first = CentralRecorder(queue: "first")
        var manager: CBCentralManager? = CBCentralManager(
            delegate: first, queue: namedQueue("first"), options: options)
        await first.log.next("state poweredOn")
        await bench.find()
        var device = manager?.retrievePeripherals(withIdentifiers: [bench.peripheral.identifier]).first
        device?.delegate = first
        if let device { manager?.connect(device) }
        await first.log.next("connect true")
        device?.discoverServices(nil)
        await first.log.next("services ok")
        for service in device?.services ?? [] where knowsCharacteristics {
            device?.discoverCharacteristics(nil, for: service)
            await first.log.next("characteristics ok")
        }
        // The last write marks the end of the last request.
        device?.readRSSI()
        await first.log.next("rssi")
        await release(&manager)
        device = nil

        bench.deviceManager.remove(extra)
        let second = CentralRecorder(queue: "second")
        let restored = CBCentralManager(delegate: second, queue: namedQueue("second"), options: options)
        await second.log.next("restore 1 peripherals")
        let again = try #require(second.restored.first)
        let services = second.restoredServices
        #expect(services.map(\.uuid.uuidString) == ["FFF0", "FFE0"])
        #expect(services.map { $0.characteristics?.count } == (knowsCharacteristics ? [6, 1] : [nil, nil]))
        await second.log.next("connect true")
        #expect(await second.log.next("modified") == "modified [\"FFE0\"]")
        #expect(again.services?.map(\.uuid.uuidString) == ["FFF0"])
        guard knowsCharacteristics else { return withExtendedLifetime(restored) {} }
        // An object of the last run, asked at once.
        let dynamic = try #require(services[0].characteristics?.first { $0.uuid == Bench.dynamic })
        again.readValue(for: dynamic)
        #expect(await second.log.next("value") == "value FFF2 ok 2A")
        withExtendedLifetime(restored) {}
    }
}
