import Adapters
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth
import Testing

/// Delegate methods that the other tests do not call.
@Suite(.timeLimit(.minutes(2))) struct DelegateTests {
    @Test func aConnectionThatIsNeverEstablishedFails() async {
        let bench = await Bench()
        await bench.find()
        await bench.fault("device") { $0.faults.failedEstablishments = 1000 }
        bench.centralManager.connect(bench.peripheral)
        #expect(await bench.central.log.next("fail") == "fail CBError.connectionFailed")
        #expect(bench.peripheral.state == .disconnected)
        #expect(bench.central.log.count("connect") == 0)
        await bench.fault("device") { $0.faults.failedEstablishments = 0 }
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
    }

    /// If a delegate implements the longer method, the shorter one is not called.
    @Test func theTimestampOfADisconnectionIsReported() async {
        let bench = await Bench()
        await bench.connect([CBConnectPeripheralOptionEnableAutoReconnect: true])
        let delegate = TimestampRecorder(queue: "central")
        bench.centralManager.delegate = delegate
        let before = CFAbsoluteTimeGetCurrent()
        await bench.fault("device") { $0.breakLinks() }
        bench.peripheral.readRSSI()
        bench.peripheral.discoverServices(nil)
        #expect(await delegate.log.next("") == "disconnect CBError.connectionTimeout reconnecting true")
        #expect(await delegate.log.next("") == "connect")
        let times = [before] + delegate.times + [CFAbsoluteTimeGetCurrent()]
        #expect(times.count == 3 && times == times.sorted())
        bench.centralManager.cancelPeripheralConnection(bench.peripheral)
        #expect(await delegate.log.next("") == "disconnect ok reconnecting false")
    }

    @Test func theSignalStrengthIsReported() async {
        let bench = await Bench()
        await bench.connect()
        let delegate = SignalRecorder(queue: "central")
        bench.peripheral.delegate = delegate
        bench.peripheral.readRSSI()
        #expect(await delegate.log.next("") == "rssi ok true")
    }

    @Test func descriptorsAreWritten() async throws {
        let bench = await Bench()
        let lease = try await AdapterRegistry.shared.open(bench.radio.source(named: "other"), options: .init())
        let server = try await DescriptorServer.started(on: lease)
        bench.central.onDiscover = { manager, found in
            manager.stopScan()
            bench.peripheral = found
            found.delegate = bench.central
        }
        bench.centralManager.scanForPeripherals(withServices: [CBUUID(string: "FFE0")])
        await bench.central.log.next("discover")
        bench.centralManager.connect(bench.peripheral)
        await bench.central.log.next("connect true")
        bench.peripheral.discoverServices([CBUUID(string: "FFE0")])
        await bench.central.log.next("services ok")
        bench.peripheral.discoverCharacteristics(nil, for: bench.peripheral.services![0])
        await bench.central.log.next("characteristics ok")
        let characteristic = bench.characteristic(CBUUID(string: "FFE1"))
        bench.peripheral.discoverDescriptors(for: characteristic)
        await bench.central.log.next("descriptors ok")
        let descriptors = characteristic.descriptors ?? []
        #expect(descriptors.map(\.uuid.uuidString) == ["FFE2", "FFE3"])
        bench.peripheral.writeValue(Data([1, 2, 3]), for: descriptors[0])
        #expect(await bench.central.log.next("descriptor written") == "descriptor written FFE2 ok")
        bench.peripheral.writeValue(Data([1]), for: descriptors[1])
        #expect(
            await bench.central.log.next("descriptor written")
                == "descriptor written FFE3 CBATTError.writeNotPermitted")
        bench.peripheral.readValue(for: descriptors[0])
        await bench.central.log.next("descriptor FFE2 ok")
        #expect(descriptors[0].value as? Data == Data([1, 2, 3]))
        withExtendedLifetime(server) {}
        await lease.release()
    }

    /// Unsupported features are never reported: no callback arrives, and none in their place.
    @Test func unsupportedDelegateMethodsAreNotCalled() async {
        let bench = await Bench()
        await bench.connect()
        let delegate = AbsentRecorder(queue: "central")
        bench.centralManager.delegate = delegate
        bench.peripheral.delegate = delegate
        bench.peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
        #expect(await delegate.log.next("") == "sounding CBError.operationNotSupported")
        bench.peripheral.readRSSI()
        #expect(await delegate.log.next("") == "rssi")
        // They are there to be called, as a program's own tests do.
        bench.centralQueue.sync {
            bench.centralManager.delegate?.centralManager(
                bench.centralManager, didUpdateANCSAuthorizationFor: bench.peripheral)
            bench.peripheral.delegate?.peripheral(bench.peripheral, didReceive: nil, error: nil)
        }
        #expect(delegate.log.all.suffix(2) == ["ancs false", "results nil"])
    }

    @Test func anAdapterWithoutPermissionIsUnauthorized() async {
        let source = AdapterSource.backend(
            BackendSource(name: "locked away") { (_) async throws(RadioError) -> LoopBound<any RadioBackend> in
                throw RadioError.radio(.unauthorized, reason: "this program may not use it")
            })
        let options: [String: Any] = [HaraldManagerOptionAdapterKey: source]
        let central = CentralRecorder(queue: "central")
        let manager = CBCentralManager(delegate: central, queue: namedQueue("central"), options: options)
        #expect(await central.log.next("state") == "state unauthorized")
        #expect(manager.state == .unauthorized)
        #expect(manager.authorization == .denied)
        manager.scanForPeripherals(withServices: nil)
        #expect(!manager.isScanning)
        let device = PeripheralRecorder(queue: "device")
        let peripheralManager = CBPeripheralManager(delegate: device, queue: namedQueue("device"), options: options)
        #expect(await device.log.next("state") == "state unauthorized")
        peripheralManager.startAdvertising(nil)
        #expect(!peripheralManager.isAdvertising)
    }
}

/// Implements the method for disconnections with the timestamp, and the shorter one.
final class TimestampRecorder: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    let log = EventLog()
    let queue: String
    var times: [CFAbsoluteTime] = []

    init(queue: String) { self.queue = queue }

    private func note(_ line: String, _ method: String = #function) {
        if DispatchQueue.getSpecific(key: queueKey) != queue { Issue.record("not on the queue: \(line)") }
        log.add(line, method: method)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { note("connect") }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        times.append(timestamp)
        note("disconnect \(text(error)) reconnecting \(isReconnecting)")
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { note("the shorter method") }
}

/// Implements only the method that is not deprecated.
final class SignalRecorder: NSObject, CBPeripheralDelegate, @unchecked Sendable {
    let log = EventLog()
    let queue: String

    init(queue: String) { self.queue = queue }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        if DispatchQueue.getSpecific(key: queueKey) != queue { Issue.record("not on the queue") }
        log.add("rssi \(text(error)) \(RSSI.intValue < 0)", method: #function)
    }
}

/// Records the callbacks of functions that only Apple's systems have, and of `readRSSI()`.
final class AbsentRecorder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    let log = EventLog()
    let queue: String

    init(queue: String) { self.queue = queue }

    private func note(_ line: String, _ method: String = #function) {
        if DispatchQueue.getSpecific(key: queueKey) != queue { Issue.record("not on the queue: \(line)") }
        log.add(line, method: method)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
        note("ancs \(peripheral.ancsAuthorized)")
    }
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) { note("rssi") }
    func peripheral(
        _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
    ) { note("results \(results == nil ? "nil" : "some")") }
    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
        note("sounding \(text(error))")
    }
}
