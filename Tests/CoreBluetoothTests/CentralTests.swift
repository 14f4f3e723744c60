import CoreBluetooth
import Testing

@Suite(.timeLimit(.minutes(2))) struct CentralTests {
    @Test func connectDiscoverReadWriteDisconnect() async {
        let bench = await Bench()
        await bench.connect()
        let peripheral = bench.peripheral!
        #expect(peripheral.services == nil)
        peripheral.discoverServices(nil)
        #expect(await bench.central.log.next("services") == "services ok [\"FFF0\"]")
        let service = peripheral.services![0]
        #expect(service.peripheral === peripheral)
        #expect(service.isPrimary)
        peripheral.discoverCharacteristics([Bench.dynamic], for: service)
        #expect(await bench.central.log.next("characteristics") == "characteristics ok [\"FFF2\"]")
        let dynamic = service.characteristics![0]
        peripheral.discoverCharacteristics(nil, for: service)
        await bench.central.log.next("characteristics ok")
        #expect(service.characteristics?.count == 6)
        // The same attribute is the same object.
        #expect(bench.characteristic(Bench.dynamic) === dynamic)
        #expect(dynamic.service === service)
        #expect(dynamic.properties == [.read, .write])
        peripheral.readValue(for: dynamic)
        #expect(await bench.central.log.next("value") == "value FFF2 ok 2A")
        peripheral.writeValue(Data([1, 2]), for: dynamic, type: .withResponse)
        #expect(await bench.central.log.next("written") == "written FFF2 ok")
        #expect(await bench.device.log.next("write") == "write FFF2@0=2")
        bench.centralManager.cancelPeripheralConnection(peripheral)
        #expect(await bench.central.log.next("disconnect") == "disconnect ok true services -1")
        #expect(await bench.links == 0)
    }

    @Test func descriptorsHaveTypedValues() async {
        let bench = await Bench()
        await bench.explore()
        let fixed = bench.characteristic(Bench.fixed)
        bench.peripheral.discoverDescriptors(for: fixed)
        #expect(await bench.central.log.next("descriptors") == "descriptors ok [\"2901\", \"2904\"]")
        for descriptor in fixed.descriptors! { bench.peripheral.readValue(for: descriptor) }
        #expect(await bench.central.log.next("descriptor 2901") == "descriptor 2901 ok twenty bytes")
        await bench.central.log.next("descriptor 2904 ok")
        #expect(fixed.descriptors![0].value is String)
        #expect(fixed.descriptors![1].value as? Data == Data([4, 0, 0, 0x27, 1, 0, 0]))
        let notifying = bench.characteristic(Bench.notifying)
        bench.peripheral.setNotifyValue(true, for: notifying)
        await bench.central.log.next("notifying FFF4 ok true")
        bench.peripheral.discoverDescriptors(for: notifying)
        await bench.central.log.next("descriptors ok")
        bench.peripheral.readValue(for: notifying.descriptors![0])
        #expect(await bench.central.log.next("descriptor 2902") == "descriptor 2902 ok 1")
        #expect(notifying.descriptors![0].value is NSNumber)
    }

    @Test func longValuesAreReadAndWrittenWithBothTypes() async {
        let bench = await Bench()
        await bench.explore()
        let long = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
        bench.device.readValue = long
        let dynamic = bench.characteristic(Bench.dynamic)
        bench.peripheral.readValue(for: dynamic)
        await bench.central.log.next("value FFF2 ok")
        #expect(dynamic.value == long)
        bench.peripheral.writeValue(long, for: dynamic, type: .withResponse)
        await bench.central.log.next("written FFF2 ok")
        await bench.device.log.next("write FFF2@0=")
        #expect(bench.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        #expect(bench.peripheral.maximumWriteValueLength(for: .withoutResponse) > 20)
        bench.peripheral.writeValue(Data([9]), for: bench.characteristic(Bench.sink), type: .withoutResponse)
        #expect(await bench.device.log.next("write") == "write FFF3@0=1")
    }

    @Test func attErrorsAreReported() async {
        let bench = await Bench()
        await bench.explore()
        bench.device.writeResult = .invalidAttributeValueLength
        bench.peripheral.writeValue(Data([1]), for: bench.characteristic(Bench.dynamic), type: .withResponse)
        #expect(await bench.central.log.next("written") == "written FFF2 CBATTError.invalidAttributeValueLength")
        bench.peripheral.readValue(for: bench.characteristic(Bench.sink))
        #expect(await bench.central.log.next("value") == "value FFF3 CBATTError.readNotPermitted nil")
    }

    @Test func readingAProtectedValuePairs() async {
        let bench = await Bench()
        await bench.explore()
        bench.peripheral.readValue(for: bench.characteristic(Bench.locked))
        #expect(await bench.central.log.next("value") == "value FFF6 ok 2A")
    }

    /// A state that is set already is reported again; the device receives the first change only.
    @Test func settingTheCurrentNotificationStateIsAnswered() async {
        let bench = await Bench()
        await bench.explore()
        let notifying = bench.characteristic(Bench.notifying)
        bench.peripheral.setNotifyValue(false, for: notifying)
        #expect(await bench.central.log.next("notifying") == "notifying FFF4 ok false")
        for _ in 0..<2 {
            bench.peripheral.setNotifyValue(true, for: notifying)
            #expect(await bench.central.log.next("notifying") == "notifying FFF4 ok true")
        }
        #expect(await bench.device.log.next("subscribed") == "subscribed FFF4 1")
        #expect(bench.device.log.count("subscribed FFF4 1") == 1)
    }

    @Test func notificationsAndIndicationsInOrder() async {
        let bench = await Bench()
        await bench.explore()
        let notifying = bench.characteristic(Bench.notifying)
        bench.peripheral.setNotifyValue(true, for: notifying)
        #expect(await bench.central.log.next("notifying") == "notifying FFF4 ok true")
        #expect(await bench.device.log.next("subscribed") == "subscribed FFF4 1")
        for number in UInt8(0)..<20 {
            #expect(bench.deviceManager.updateValue(Data([number]), for: bench.notifying, onSubscribedCentrals: nil))
        }
        for number in UInt8(0)..<20 {
            #expect(await bench.central.log.next("value") == "value FFF4 ok \(hex(Data([number])))")
        }
        bench.peripheral.setNotifyValue(false, for: notifying)
        #expect(await bench.central.log.next("notifying") == "notifying FFF4 ok false")
        #expect(await bench.device.log.next("unsubscribed") == "unsubscribed FFF4 0")
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.indicating))
        #expect(await bench.central.log.next("notifying") == "notifying FFF5 ok true")
        _ = bench.deviceManager.updateValue(
            Data([7]), for: bench.indicating, onSubscribedCentrals: bench.device.centrals)
        #expect(await bench.central.log.next("value") == "value FFF5 ok 07")
        // A characteristic that sends nothing.
        bench.peripheral.setNotifyValue(true, for: bench.characteristic(Bench.fixed))
        #expect(await bench.central.log.next("notifying") == "notifying FFF1 CBATTError.requestNotSupported false")
    }

    @Test func signalStrengthNameAndUnsupportedOperations() async {
        let bench = await Bench()
        await bench.connect()
        bench.peripheral.readRSSI()
        #expect(await bench.central.log.next("rssi") == "rssi ok")
        #expect(bench.peripheral.ancsAuthorized == false)
        bench.peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
        #expect(await bench.central.log.next("sounding") == "sounding CBError.operationNotSupported")
        #expect(!CBCentralManager.supports(.channelSounding))
        #expect(CBCentralManager.authorization == .allowedAlways)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        bench.centralManager.connect(bench.peripheral, options: [CBConnectPeripheralOptionRequiresANCS: true])
        #expect(await bench.central.log.next("fail") == "fail CBError.operationNotSupported")
    }

    @Test func theNameReadFromTheDeviceReplacesTheAdvertisedOne() async {
        let bench = await Bench()
        await bench.find()
        #expect(bench.peripheral.name == "Bench")
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("name")
        #expect(bench.peripheral.name != "Bench")
    }

    @Test func anUnexpectedDisconnectionEndsPendingOperations() async {
        let bench = await Bench()
        await bench.explore()
        bench.device.answersReads = false
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        await bench.device.log.next("read FFF2")
        await bench.fault("device") { $0.breakLinks() }
        bench.peripheral.writeValue(Data([1]), for: bench.characteristic(Bench.sink), type: .withoutResponse)
        #expect(await bench.central.log.next("value") == "value FFF2 CBError.connectionTimeout nil")
        #expect(await bench.central.log.next("disconnect") == "disconnect CBError.connectionTimeout true services -1")
    }

    @Test func aHardwareErrorEndsAPendingReadAndTheAdapterRecovers() async {
        let bench = await Bench()
        await bench.explore()
        bench.device.answersReads = false
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        await bench.device.log.next("read FFF2")
        await bench.fault("central") { $0.raiseHardwareError(code: 1) }
        // The order is: the new state, the end of pending requests, the end of the connection.
        await bench.central.log.next("state resetting")
        #expect(await bench.central.log.next("value").hasPrefix("value FFF2 CBError"))
        #expect(await bench.central.log.next("disconnect").hasPrefix("disconnect CBError"))
        await bench.central.log.next("state poweredOn")
        // A fresh start works.
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
    }

    @Test func aLostConnectionReconnectsIfRequested() async {
        let bench = await Bench()
        await bench.connect([CBConnectPeripheralOptionEnableAutoReconnect: true])
        await bench.fault("device") { $0.breakLinks() }
        bench.peripheral.discoverServices(nil)
        await bench.central.log.next("services CBError.connectionTimeout")
        #expect(await bench.central.log.next("disconnect") == "disconnect CBError.connectionTimeout false services -1")
        await bench.central.log.next("connect true")
        #expect(bench.peripheral.state == .connected)
    }

    @Test func aPendingConnectionCanBeCancelled() async {
        let bench = await Bench()
        await bench.find()
        bench.deviceManager.stopAdvertising()
        bench.centralManager.connect(bench.peripheral)
        #expect(bench.peripheral.state == .connecting)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        #expect(await bench.central.log.next("disconnect") == "disconnect ok true services -1")
        #expect(bench.central.log.count("connect") == 0)
    }

    /// There is no attempt, or it has ended: no end is reported.
    @Test func cancellingAnUnconnectedPeripheralCausesNoCallback() async {
        let bench = await Bench()
        await bench.find()
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        #expect(bench.peripheral.state == .disconnected)
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        bench.deviceManager.stopAdvertising()
        bench.centralManager.connect(bench.peripheral)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        await bench.central.log.next("disconnect ok")
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        bench.deviceManager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Bench.service]])
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        #expect(bench.central.log.count("disconnect") == 2)
        #expect(bench.peripheral.state == .connected)
    }

    @Test(arguments: [false, true]) func nothingNotifiesAfterADisconnection(isLost: Bool) async {
        let bench = await Bench()
        await bench.explore()
        let notifying = bench.characteristic(Bench.notifying)
        bench.peripheral.setNotifyValue(true, for: notifying)
        await bench.central.log.next("notifying FFF4 ok true")
        if isLost {
            await bench.radio.setPowered(false, adapterNamed: "device")
        } else {
            bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        }
        await bench.central.log.next("disconnect")
        #expect(!notifying.isNotifying)
    }

    @Test func changedServicesAreInvalidated() async {
        let bench = await Bench()
        await bench.explore()
        let old = bench.characteristic(Bench.fixed)
        bench.deviceManager.remove(bench.published)
        #expect(await bench.central.log.next("modified") == "modified [\"FFF0\"]")
        #expect(bench.peripheral.services?.isEmpty == true)
        bench.peripheral.readValue(for: old)
        let extra = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        bench.deviceManager.add(extra)
        await bench.central.log.next("modified []")
        bench.peripheral.discoverServices(nil)
        #expect(await bench.central.log.next("services") == "services ok [\"FFE0\"]")
        #expect(bench.central.log.count("value FFF1") == 0)
    }

    @Test func includedServices() async {
        let bench = await Bench()
        let outer = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        outer.includedServices = [bench.published]
        bench.deviceManager.add(outer)
        await bench.device.log.next("added FFE0 ok")
        await bench.connect()
        bench.peripheral.discoverServices(nil)
        await bench.central.log.next("services ok")
        let service = bench.peripheral.services!.first { $0.uuid == outer.uuid }!
        bench.peripheral.discoverIncludedServices(nil, for: service)
        #expect(await bench.central.log.next("included") == "included ok [\"FFF0\"]")
        #expect(service.includedServices![0] === bench.peripheral.services!.first { $0.uuid == Bench.service }!)
    }

    /// Services are added in the order of the calls, without waiting for the delegate.
    @Test func aServiceMayIncludeOneThatWasJustAdded() async {
        let bench = await Bench()
        for number in 0..<20 {
            let inner = CBMutableService(type: CBUUID(string: String(format: "FA%02X", number)), primary: true)
            let outer = CBMutableService(type: CBUUID(string: String(format: "FB%02X", number)), primary: true)
            outer.includedServices = [inner]
            bench.deviceManager.add(inner)
            bench.deviceManager.add(outer)
            bench.deviceManager.add(inner)
            #expect(await bench.device.log.next("added") == "added \(inner.uuid) ok")
            #expect(await bench.device.log.next("added") == "added \(outer.uuid) ok")
            #expect(await bench.device.log.next("added") != "added \(inner.uuid) ok")
        }
    }

    /// The answer to a second request is not known before that to the first.
    @Test func twoRequestsForNotificationsHaveOneOutcome() async {
        let bench = await Bench()
        await bench.explore()
        let characteristic = bench.characteristic(Bench.notifying)
        bench.peripheral.setNotifyValue(true, for: characteristic)
        bench.peripheral.setNotifyValue(true, for: characteristic)
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        let outcomes = [await bench.central.log.next("notifying"), await bench.central.log.next("notifying")]
        #expect(outcomes[0] == outcomes[1])
    }

    /// A program that writes on its delegate's queue while there is room receives the end of the link.
    @Test func aStreamOfWritesEndsWithItsLink() async {
        let bench = await Bench()
        await bench.explore()
        let sink = bench.characteristic(Bench.sink)
        let peripheral = Transferred(bench.peripheral!)
        let target = Transferred(sink)
        bench.central.onReady = {
            while peripheral.value.canSendWriteWithoutResponse {
                peripheral.value.writeValue(Data([1]), for: target.value, type: .withoutResponse)
            }
        }
        await bench.fault("central") { $0.breakLinks() }
        bench.centralQueue.async { bench.central.onReady?() }
        await bench.central.log.next("disconnect")
        bench.central.onReady = nil
    }
}
