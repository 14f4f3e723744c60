import CoreBluetooth
import CoreBluetoothExamples
import Testing
import VirtualTransport

/// The flows of an app, as they are in Examples, on the virtual air.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ExampleTests {
    @Test func heartRateMonitorAndSimulatedStrap() async {
        let radio = VirtualRadio()
        let log = EventLog(), strapLog = EventLog()
        let strap = SimulatedStrap(
            queue: DispatchQueue(label: "strap"), options: [HaraldManagerOptionAdapterKey: radio.source(named: "strap")]
        ) { strapLog.add($0) }
        await strapLog.next("advertising")
        HaraldDefaults.adapter = radio.source(named: "phone")
        let monitor = HeartRateMonitor(queue: DispatchQueue(label: "app")) { log.add($0) }
        HaraldDefaults.adapter = nil
        await log.next("found Strap")
        await log.next("connected")
        for rate in 60...62 { await log.next("heart rate \(rate)") }
        // The reads run concurrently, so their order is not defined.
        for wanted in ["worn at place 1", "battery 87 %", "wrote FFF1"] {
            while !log.all.contains(wanted) { await log.next("") }
        }
        await strapLog.next("command [170, 187]")
        await strapLog.next("command [170, 187]")
        monitor.end()
        await log.next("disconnected")
        withExtendedLifetime(strap) {}
    }

    @Test func threeWaysToReconnect() async throws {
        let radio = VirtualRadio()
        let strapLog = EventLog()
        let strap = SimulatedStrap(
            queue: DispatchQueue(label: "strap"), options: [HaraldManagerOptionAdapterKey: radio.source(named: "strap")]
        ) { strapLog.add($0) }
        await strapLog.next("advertising")
        HaraldDefaults.adapter = radio.source(named: "phone")
        defer { HaraldDefaults.adapter = nil }
        let service = CBUUID(string: "180D")
        func comeBack(_ stored: UUID?, _ name: String) async -> (WaysBack, WaysBack.Way, UUID) {
            let log = EventLog()
            let object = WaysBack(service: service, stored: stored, queue: DispatchQueue(label: name)) { way, id in
                log.add("\(way.rawValue) \(id.uuidString)")
            }
            let parts = await log.next("").split(separator: " ")
            return (object, WaysBack.Way(rawValue: String(parts[0]))!, UUID(uuidString: String(parts[1]))!)
        }
        let (first, way, identifier) = await comeBack(nil, "first")
        #expect(way == .found)
        let (second, wayOfSecond, _) = await comeBack(identifier, "second")
        #expect(wayOfSecond == .known)
        // Another program holds it connected, and has found the service.
        let log = EventLog()
        let monitor = HeartRateMonitor(queue: DispatchQueue(label: "monitor")) { log.add($0) }
        await log.next("heart rate")
        let (third, wayOfThird, connected) = await comeBack(nil, "third")
        #expect(wayOfThird == .connected)
        #expect(connected == identifier)
        withExtendedLifetime((first, second, third, monitor, strap)) {}
    }

    @Test func theRateOfTheSimulatedStrapStaysInItsOctet() async {
        let radio = VirtualRadio()
        let strapLog = EventLog(), log = EventLog()
        let strap = SimulatedStrap(
            queue: DispatchQueue(label: "strap"), options: [HaraldManagerOptionAdapterKey: radio.source(named: "strap")]
        ) { strapLog.add($0) }
        await strapLog.next("advertising")
        let subscriber = Resubscriber(source: radio.source(named: "phone")) { log.add("\($0)") }
        // Each subscription gets three values, and an octet has 196 from 60 on.
        var rates: [Int] = []
        while rates.count < 210 { rates.append(Int(await log.next("")) ?? -1) }
        #expect(rates.allSatisfy { (60...180).contains($0) } && rates.contains(180) && rates.last != 60)
        withExtendedLifetime((strap, subscriber)) {}
    }

    @Test func framesSpanNotifications() {
        var frames = FrameAssembler()
        let payload = Data(1...30)
        let frame = Data([0x55, 0xAA, 0x01, 0, 30]) + payload + Data([0, 0])
        #expect(frames.append(frame.prefix(20)).isEmpty)
        #expect(frames.append(frame.dropFirst(20) + frame.prefix(3)) == [payload])
        #expect(frames.append(frame.dropFirst(3)) == [payload])
    }

    @Test func theVendorsScaleSendsAReading() async {
        let radio = VirtualRadio()
        let scale = SimulatedScale(source: radio.source(named: "scale"))
        await scale.log.next("advertising")
        HaraldDefaults.adapter = radio.source(named: "phone")
        let log = EventLog()
        let app = VendorScale(name: "Scale", queue: DispatchQueue(label: "app")) { result in
            switch result {
            case .success(let payload): log.add(hex(payload))
            case .failure(let error): log.add("\(error)")
            }
        }
        HaraldDefaults.adapter = nil
        #expect(await log.next("") == hex(Data(1...40)))
        withExtendedLifetime(app) {}
    }

    /// Command-line programs as processes of their own, on controllers of an air of this one.
    @Test(arguments: [("HeartRateTool", "heart rate 62"), ("BatteryTool", "battery 87 %")])
    func commandLinePrograms(_ name: String, _ line: String) async throws {
        let air = try await ToolAir()
        let strapLog = EventLog()
        let strap = SimulatedStrap(
            queue: DispatchQueue(label: "strap"),
            options: [HaraldManagerOptionAdapterKey: air.radio.source(named: "strap")]
        ) { strapLog.add($0) }
        await strapLog.next("advertising")
        let output = try await air.run(name)
        #expect(output.contains(line), "\(output)")
        withExtendedLifetime(strap) {}
        await air.close()
    }
}

/// A scale that does not advertise its service, and answers a command with a frame in two notifications.
private final class SimulatedScale: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    let log = EventLog()
    private var manager: CBPeripheralManager!
    private let receive = CBMutableCharacteristic(
        type: CBUUID(string: "FFE2"), properties: .notify, value: nil, permissions: .readable)

    init(source: AdapterSource) {
        super.init()
        manager = CBPeripheralManager(
            delegate: self, queue: DispatchQueue(label: "scale"), options: [HaraldManagerOptionAdapterKey: source])
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "FFE0"), primary: true)
        let transmit = CBMutableCharacteristic(
            type: CBUUID(string: "FFE1"), properties: .writeWithoutResponse, value: nil, permissions: .writeable)
        service.characteristics = [transmit, receive]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Scale"])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        log.add("advertising")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        let frame = Data([0x55, 0xAA, 0x02, 0, 40]) + Data(1...40) + Data([0, 0])
        for part in [frame.prefix(20), frame.dropFirst(20)] {
            _ = peripheral.updateValue(Data(part), for: receive, onSubscribedCentrals: nil)
        }
    }
}

/// Subscribes to heart rates, and again after every third value.
///
/// Proof of `@unchecked Sendable`: after the initializer, its state is used on the manager's serial queue only.
private final class Resubscriber: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var count = 0
    private let report: (UInt8) -> Void

    init(source: AdapterSource, report: @escaping (UInt8) -> Void) {
        self.report = report
        super.init()
        manager = CBCentralManager(
            delegate: self, queue: DispatchQueue(label: "subscriber"),
            options: [HaraldManagerOptionAdapterKey: source])
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: "180D")])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for item in service.characteristics ?? [] where item.properties.contains(.notify) {
            peripheral.setNotifyValue(true, for: item)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        if !characteristic.isNotifying { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        guard let value = characteristic.value, value.count == 2 else { return }
        report(value[1])
        count += 1
        if count % 3 == 0 { peripheral.setNotifyValue(false, for: characteristic) }
    }
}
