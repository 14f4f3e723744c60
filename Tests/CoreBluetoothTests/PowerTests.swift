import CoreBluetooth
import Testing
import VirtualBluetooth

/// The adapter is lost and restored in the middle of each operation of a central: first the new state is reported, then
/// the end of pending requests, then that of the connection; afterwards everything works again.
@Suite(.timeLimit(.minutes(3))) struct PowerTests {
    /// The requests to a device, and how their results begin in the log.
    enum Question: String, CaseIterable, Sendable, CustomTestStringConvertible {
        // Characteristics are known after the exploration, and answered without the device.
        case services, included, descriptors, value, written, notifying, channel
        case descriptor = "descriptor 2901"

        var testDescription: String { rawValue }

        func ask(_ bench: Bench) {
            guard let peripheral = bench.peripheral, let service = peripheral.services?.first else {
                Issue.record("nothing was explored")
                return
            }
            let dynamic = bench.characteristic(Bench.dynamic)
            switch self {
            case .services: peripheral.discoverServices([CBUUID(string: "FFAA")])
            case .included: peripheral.discoverIncludedServices(nil, for: service)
            case .descriptors: peripheral.discoverDescriptors(for: bench.characteristic(Bench.notifying))
            case .value: peripheral.readValue(for: dynamic)
            case .written: peripheral.writeValue(Data([1]), for: dynamic, type: .withResponse)
            case .notifying: peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
            case .channel: peripheral.openL2CAPChannel(0x80)
            case .descriptor:
                for descriptor in bench.characteristic(Bench.fixed).descriptors?.prefix(1) ?? [] {
                    peripheral.readValue(for: descriptor)
                }
            }
        }
    }

    @Test(arguments: Question.allCases, Outage.allCases)
    func pendingOperationsEndAfterTheStateChange(_ question: Question, _ outage: Outage) async throws {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.discoverDescriptors(for: bench.characteristic(Bench.fixed))
        await bench.central.log.next("descriptors ok")
        // No packet of the device arrives any more, so every request stays pending.
        await bench.fault("device") { $0.faults.isSilent = true }
        let before = bench.central.log.all.count
        question.ask(bench)
        await outage.begin("central", of: bench)
        await bench.central.log.next("disconnect")
        await outage.end("central", of: bench)
        await bench.central.log.next("state poweredOn")
        let heard = Array(bench.central.log.all.dropFirst(before))
        #expect(heard.first == outage.state)
        #expect(heard.last == "state poweredOn")
        let end = try #require(heard.firstIndex { $0.hasPrefix("disconnect CBError") })
        #expect(heard.count { $0.hasPrefix("disconnect") } == 1)
        // A request with a known result may succeed without the device; all others end with one error.
        let answers = heard.filter { $0.hasPrefix(question.rawValue) }
        #expect(answers.count == 1)
        if let place = heard.firstIndex(where: { $0.hasPrefix(question.rawValue) }) {
            #expect(place == end - 1)
            #expect(heard[place].contains("CB"), "\(heard[place])")
        }
        await bench.fault("device") { $0.faults.isSilent = false }
        await bench.connect()
    }

    /// A device that is not there: the attempt fails, after the new state, and can be made again.
    @Test(arguments: Outage.allCases, [false, true])
    func aPendingConnectionFails(_ outage: Outage, isDelayed: Bool) async {
        let bench = await Bench()
        await bench.find()
        bench.deviceManager.stopAdvertising()
        let options: [String: Any] = isDelayed ? [CBConnectPeripheralOptionStartDelayKey: 1000] : [:]
        let before = bench.central.log.all.count
        bench.centralManager.connect(bench.peripheral, options: options)
        await outage.begin("central", of: bench)
        #expect(await bench.central.log.next("") == outage.state)
        #expect(await bench.central.log.next("") == "fail CBError.connectionFailed")
        #expect(bench.peripheral.state == .disconnected)
        await outage.end("central", of: bench)
        await bench.central.log.next("state poweredOn")
        #expect(bench.central.log.all.count == before + 3)
        bench.deviceManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Bench.service]])
        // The object from before the outage is of use still.
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
    }

    /// One new state is reported, then the failure, whether the adapter's loop received the request before the removal
    /// or afterwards, when the program did not know of it yet.
    @Test(arguments: [false, true])
    func aPendingConnectionFailsIfTheAdapterIsRemoved(isRequestedLate: Bool) async throws {
        let bench = await Bench()
        await bench.find()
        bench.deviceManager.stopAdvertising()
        let air = try await ToolAir(radio: bench.radio)
        let (other, witness) = (CentralRecorder(queue: "other"), CentralRecorder(queue: "witness"))
        let queue = namedQueue("other")
        let options = [HaraldManagerOptionAdapterKey: air.uri]
        let manager = CBCentralManager(delegate: other, queue: queue, options: options)
        let second = CBCentralManager(delegate: witness, queue: namedQueue("witness"), options: options)
        await other.log.next("state poweredOn")
        await witness.log.next("state poweredOn")
        let identifiers = [bench.peripheral.identifier]
        let device = try #require(manager.retrievePeripherals(withIdentifiers: identifiers).first)
        queue.suspend()
        if !isRequestedLate {
            manager.connect(device)
            // The answer comes from the adapter's loop, which has the request by then.
            #expect(manager.retrievePeripherals(withIdentifiers: identifiers).count == 1)
        }
        await air.close()
        await witness.log.next("state unsupported")
        if isRequestedLate { manager.connect(device) }
        queue.resume()
        await other.log.next("fail")
        #expect(other.log.all == ["state poweredOn", "state unsupported", "fail CBError.connectionFailed"])
        #expect(device.state == .disconnected)
        #expect(witness.log.all == ["state poweredOn", "state unsupported"])
        withExtendedLifetime(second) {}
    }

    /// The loss of the local adapter is no reason of the device: the connection ends as if nothing more was received.
    @Test(arguments: Outage.allCases) func losingTheAdapterEndsAConnectionWithATimeoutError(_ outage: Outage) async {
        let bench = await Bench()
        await bench.connect()
        await outage.begin("central", of: bench)
        #expect(await bench.central.log.next("state") == outage.state)
        #expect(
            await bench.central.log.next("disconnect") == "disconnect CBError.connectionTimeout true services -1")
    }

    /// As with a phone that is powered off, no supervision timeout has to elapse.
    @Test(arguments: [AirPace.unpaced, .connectionInterval])
    func switchingADeviceOffDisconnectsItsCentralsImmediately(_ pace: AirPace) async {
        let bench = await Bench(pace: pace)
        await bench.connect()
        await bench.radio.setPowered(false, adapterNamed: "device")
        #expect(
            await bench.central.log.next("disconnect") == "disconnect CBError.peripheralDisconnected true services -1")
        #expect(await bench.links == 0)
        // Switched on again, the device can be found again.
        await bench.radio.setPowered(true, adapterNamed: "device")
        await bench.device.log.next("state poweredOn")
        bench.deviceManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Bench.service]])
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
    }

    /// Switched off and on immediately: the peers receive no further notifications, and the adapter works.
    @Test func theAdapterIsSwitchedOffAndOnImmediately() async {
        let bench = await Bench(pace: .connectionInterval)
        await bench.connect()
        await bench.radio.setPowered(false, adapterNamed: "central")
        await bench.radio.setPowered(true, adapterNamed: "central")
        await bench.central.log.next("state poweredOff")
        await bench.central.log.next("disconnect CBError.connectionTimeout")
        await bench.central.log.next("state poweredOn")
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
    }

    @Test(arguments: Outage.allCases) func aScanEndsAndCanBeRestarted(_ outage: Outage) async {
        let bench = await Bench()
        bench.centralManager.scanForPeripherals(withServices: [CBUUID(string: "FFAA")])
        #expect(bench.centralManager.isScanning)
        await outage.begin("central", of: bench)
        await bench.central.log.next(outage.state)
        #expect(!bench.centralManager.isScanning)
        await outage.end("central", of: bench)
        await bench.central.log.next("state poweredOn")
        await bench.find()
    }

    @Test(arguments: Outage.allCases) func readRSSIIsAnsweredOnce(_ outage: Outage) async {
        let bench = await Bench()
        await bench.connect()
        bench.peripheral.readRSSI()
        await outage.begin("central", of: bench)
        await bench.central.log.next("disconnect CBError")
        // Answered by the controller before it went, or not at all.
        #expect(bench.central.log.count("rssi") == 1)
        await outage.end("central", of: bench)
        await bench.central.log.next("state poweredOn")
    }

    @Test(arguments: Outage.allCases) func unacknowledgedWritesEndWithTheConnection(_ outage: Outage) async {
        let bench = await Bench()
        await bench.explore()
        let sink = bench.characteristic(Bench.sink)
        await bench.fault("device") { $0.faults.isSilent = true }
        while bench.peripheral.canSendWriteWithoutResponse {
            bench.peripheral.writeValue(Data([1]), for: sink, type: .withoutResponse)
            // As long as the radio takes them there is room; afterwards there is none.
            await Task.yield()
        }
        await outage.begin("central", of: bench)
        await bench.central.log.next(outage.state)
        // On a machine that is busy, the silence may have ended the connection before.
        await bench.central.log.comes("disconnect CBError")
        #expect(!bench.peripheral.canSendWriteWithoutResponse)
        await outage.end("central", of: bench)
        await bench.central.log.next("state poweredOn")
        await bench.fault("device") { $0.faults.isSilent = false }
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        #expect(bench.peripheral.canSendWriteWithoutResponse)
    }

    /// The streams of a channel end with an error, and a blocked reader returns.
    @Test(arguments: Outage.allCases) func aChannelEndsWithAnError(_ outage: Outage) async throws {
        let bench = await Bench()
        bench.deviceManager.publishL2CAPChannel(withEncryption: false)
        await bench.device.log.next("published ok true")
        await bench.connect()
        bench.peripheral.openL2CAPChannel(bench.device.psm)
        await bench.central.log.next("channel ok")
        let input: InputStream = bench.central.channels[0].inputStream
        input.open()
        let reading = Transferred(input)
        let read = EventLog()
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 16)
            read.add("\(reading.value.read(&buffer, maxLength: buffer.count))")
        }
        await outage.begin("central", of: bench)
        #expect(await read.next("") == "-1")
        #expect(input.streamError is CBError)
        await bench.central.log.next("disconnect CBError")
        await outage.end("central", of: bench)
        await bench.central.log.next("state poweredOn")
    }

    @Test(arguments: Outage.allCases) func connectionEventsAndReconnectionStopAndCanBeRestarted(_ outage: Outage) async
    {
        let bench = await Bench()
        bench.centralManager.registerForConnectionEvents(options: [:])
        await bench.connect([CBConnectPeripheralOptionEnableAutoReconnect: true])
        await outage.begin("central", of: bench)
        await bench.central.log.next("disconnect CBError")
        // An adapter that is powered off does not reconnect by itself.
        #expect(bench.peripheral.state == .disconnected)
        await outage.end("central", of: bench)
        await bench.central.log.next("state poweredOn")
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        #expect(bench.central.log.count("event peerDisconnected") == 1)
    }
}

/// The same in the middle of each operation of a local device.
@Suite(.timeLimit(.minutes(3))) struct PeripheralPowerTests {
    @Test(arguments: Outage.allCases) func advertisingAndUpdatesStopAndCanBeRestarted(_ outage: Outage) async {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed FFF4 1")
        await bench.fault("central") { $0.faults.isSilent = true }
        // Until there is no room for more.
        for _ in 0..<1000
        where bench.deviceManager.updateValue(Data([1]), for: bench.notifying, onSubscribedCentrals: nil) {
            await Task.yield()
        }
        #expect(bench.deviceManager.isAdvertising)
        await outage.begin("device", of: bench)
        await bench.device.log.next(outage.state)
        #expect(!bench.deviceManager.isAdvertising)
        await outage.end("device", of: bench)
        await bench.device.log.next("state poweredOn")
        #expect(bench.notifying.subscribedCentrals?.isEmpty ?? true)
        #expect(bench.device.log.count("unsubscribed FFF4 0") == 1)
        await bench.fault("central") { $0.faults.isSilent = false }
        if outage == .hardwareError {
            // States below `poweredOff` remove published services.
            bench.deviceManager.add(bench.published)
            await bench.device.log.next("added FFF0 ok")
        }
        #expect(bench.deviceManager.updateValue(Data([2]), for: bench.notifying, onSubscribedCentrals: nil))
        bench.deviceManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Bench.service]])
        await bench.device.log.next("advertising ok")
    }

    /// Powered off and on, a device publishes the same services, without a request of the program.
    @Test func servicesSurvivePowerOff() async {
        let bench = await Bench()
        await Outage.switchedOff.begin("device", of: bench)
        await bench.device.log.next("state poweredOff")
        await Outage.switchedOff.end("device", of: bench)
        await bench.device.log.next("state poweredOn")
        bench.deviceManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Bench.service]])
        await bench.device.log.next("advertising ok")
        await bench.explore()
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        #expect(await bench.central.log.next("value") == "value FFF2 ok 2A")
        // Removed permanently after a lower state.
        await Outage.hardwareError.begin("device", of: bench)
        await bench.device.log.next("state poweredOn")
        bench.deviceManager.add(bench.published)
        await bench.device.log.next("added FFF0 ok")
    }

    /// Most programs publish whenever the radio is on: what they add, made anew or not, is there once.
    @Test(arguments: [false, true]) func aRepublishedServiceExistsOnce(isAnew: Bool) async {
        let bench = await Bench()
        await Outage.switchedOff.begin("device", of: bench)
        await bench.device.log.next("state poweredOff")
        await Outage.switchedOff.end("device", of: bench)
        await bench.device.log.next("state poweredOn")
        var service = bench.published
        if isAnew {
            service = CBMutableService(type: Bench.service, primary: true)
            service.characteristics = bench.published.characteristics
        }
        bench.deviceManager.add(service)
        await bench.device.log.next("added FFF0 ok")
        bench.deviceManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Bench.service]])
        await bench.device.log.next("advertising ok")
        await bench.connect()
        bench.peripheral.discoverServices(nil)
        #expect(await bench.central.log.next("services") == "services ok [\"FFF0\"]")
        bench.peripheral.discoverCharacteristics(nil, for: bench.peripheral.services![0])
        await bench.central.log.next("characteristics ok")
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.notifying))
        await bench.device.log.next("subscribed FFF4 1")
        #expect(bench.deviceManager.updateValue(Data([7]), for: bench.notifying, onSubscribedCentrals: nil))
        #expect(await bench.central.log.next("value") == "value FFF4 ok 07")
        // Published by the program, it is not kept any more: once more is once too often.
        bench.deviceManager.add(service)
        #expect(await bench.device.log.next("added") == "added FFF0 CBError.invalidParameters")
    }

    @Test(arguments: Outage.allCases) func aLateResponseIsIgnored(_ outage: Outage) async {
        let bench = await Bench()
        await bench.explore()
        bench.device.answersReads = false
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        await bench.device.log.next("read FFF2")
        await outage.begin("device", of: bench)
        await bench.device.log.next(outage.state)
        bench.deviceManager.respond(to: bench.device.requests[0], withResult: .success)
        await outage.end("device", of: bench)
        await bench.device.log.next("state poweredOn")
    }

    @Test(arguments: Outage.allCases) func aChannelListenerCanBePublishedAgain(_ outage: Outage) async {
        let bench = await Bench()
        bench.deviceManager.publishL2CAPChannel(withEncryption: false)
        await bench.device.log.next("published ok true")
        await outage.begin("device", of: bench)
        await bench.device.log.next(outage.state)
        await outage.end("device", of: bench)
        await bench.device.log.next("state poweredOn")
        bench.deviceManager.publishL2CAPChannel(withEncryption: false)
        await bench.device.log.next("published ok true")
    }
}
