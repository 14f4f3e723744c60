#if os(Linux)
import CoreBluetooth
import PeerSupport
import Synchronization
import Testing

extension PeerSuites {
    /// CoreBluetooth on Linux with Bumble as the peer, in both roles.
    @Suite("CoreBluetooth with Bumble")
    struct CoreBluetoothWithBumbleTests {
        @Test("a central finds, reads, writes and subscribes", .timeLimit(.minutes(1))) func central() async throws {
            try await OfferedAir.with { air in
                try await Peers.with(.peripheral, [air.controller, "--heart-rate-period", "0.05"]) { _, _ in
                    let visitor = Visitor(air.radio.source(named: "phone"))
                    let seen = await visitor.result()
                    #expect(seen.name == BenchVisit.name)
                    #expect(seen.services.isSuperset(of: ["180D", "180F", "180A"]))
                    #expect(!seen.services.contains("1800"))
                    #expect(seen.read == Data(BenchService.readValue))
                    #expect(seen.long == Data(BenchService.longValue))
                    #expect(seen.written == Data([1, 2, 3]))
                    #expect(seen.heartRates == 3)
                    #expect(seen.end == "disconnected")
                }
            }
        }

        @Test("a peripheral passes Bumble's checks", .timeLimit(.minutes(1))) func peripheral() async throws {
            try await OfferedAir.with { air in
                let device = BenchManager(air.radio.source(named: "device"))
                await device.isAdvertising()
                let checks = try await CentralChecks.run(
                    on: air.controller,
                    [
                        "read", "long-read", "write", "long-write", "notify", "indicate", "either", "heart-rate",
                        "disconnect", "--name", "CB Bench",
                    ])
                #expect(checks.verdicts.count > 8)
                for verdict in checks.verdicts where !verdict.passed { Issue.record("\(verdict)") }
                withExtendedLifetime(device) {}
            }
        }
    }
}

extension CBUUID {
    fileprivate convenience init(bench number: UInt8) {
        self.init(string: "48415241-4C44-4000-8000-0000000000" + String(format: "%02X", number))
    }
}

/// A central that performs the test's operations and records their results.
///
/// Proof of `@unchecked Sendable`: accessed on its queue only, except the continuation, which a mutex guards.
private final class Visitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    struct Result: Sendable {
        var name: String?
        var services: Set<String> = []
        var read: Data?, long: Data?, written: Data?
        var heartRates = 0
        var end = ""
    }

    private let queue = DispatchQueue(label: "visitor")
    private var manager: CBCentralManager?
    private var device: CBPeripheral?
    private var seen = Result()
    private var left = 0
    private let waiting = Mutex<CheckedContinuation<Result, Never>?>(nil)
    private let source: AdapterSource

    init(_ source: AdapterSource) { self.source = source }

    func result() async -> Result {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            queue.async { [self] in
                manager = CBCentralManager(
                    delegate: self, queue: queue, options: [HaraldManagerOptionAdapterKey: source])
            }
        }
    }

    private func end(_ what: String) {
        seen.end = what
        let result = seen
        waiting.withLock { waiting in
            waiting?.resume(returning: result)
            waiting = nil
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String, device == nil else { return }
        central.stopScan()
        seen.name = name
        device = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { end(error.map { "\($0)" } ?? "disconnected") }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        seen.services = Set(peripheral.services?.map(\.uuid.uuidString) ?? [])
        left = peripheral.services?.count ?? 0
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        left -= 1
        guard left == 0 else { return }
        for characteristic in peripheral.services?.flatMap({ $0.characteristics ?? [] }) ?? [] {
            switch characteristic.uuid {
            case CBUUID(bench: 1), CBUUID(bench: 8): peripheral.readValue(for: characteristic)
            case CBUUID(bench: 2):
                peripheral.writeValue(Data([1, 2, 3]), for: characteristic, type: .withResponse)
                peripheral.readValue(for: characteristic)
            default: break
            }
        }
        let all = peripheral.services?.flatMap { $0.characteristics ?? [] } ?? []
        if let measurement = all.first(where: { $0.uuid == CBUUID(string: "2A37") }) {
            peripheral.setNotifyValue(true, for: measurement)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        switch characteristic.uuid {
        case CBUUID(bench: 1): seen.read = characteristic.value
        case CBUUID(bench: 8): seen.long = characteristic.value
        case CBUUID(bench: 2): seen.written = characteristic.value
        default:
            seen.heartRates += 1
            if seen.heartRates == 3 { manager?.cancelPeripheralConnection(peripheral) }
        }
    }
}

/// The bench device, implemented with a peripheral manager.
///
/// Proof of `@unchecked Sendable`: accessed on its queue only, except the continuation, which a mutex guards.
private final class BenchManager: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    private let queue = DispatchQueue(label: "bench")
    private var manager: CBPeripheralManager?
    private let source: AdapterSource
    private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
    private var values: [CBUUID: Data] = [:]
    private var sources: [CBUUID: CBMutableCharacteristic] = [:]
    private var series: [(CBMutableCharacteristic, Data)] = []

    init(_ source: AdapterSource) { self.source = source }

    func isAdvertising() async {
        await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            queue.async { [self] in
                manager = CBPeripheralManager(
                    delegate: self, queue: queue, options: [HaraldManagerOptionAdapterKey: source])
            }
        }
    }

    private func make(
        _ uuid: CBUUID, _ properties: CBCharacteristicProperties, _ value: Data? = nil
    ) -> CBMutableCharacteristic {
        var permissions: CBAttributePermissions = []
        if properties.contains(.read) { permissions.insert(.readable) }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
        let made = CBMutableCharacteristic(type: uuid, properties: properties, value: value, permissions: permissions)
        sources[uuid] = made
        return made
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let bench = CBMutableService(type: CBUUID(bench: 0), primary: true)
        let readWrite = make(CBUUID(bench: 2), [.read, .write])
        readWrite.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: "2901"), value: BenchService.userDescription),
            CBMutableDescriptor(type: CBUUID(bench: 0xD2), value: Data()),
        ]
        bench.characteristics = [
            make(CBUUID(bench: 1), .read, Data(BenchService.readValue)), readWrite,
            make(CBUUID(bench: 3), .writeWithoutResponse), make(CBUUID(bench: 4), .read, Data(count: 12)),
            make(CBUUID(bench: 5), .notify), make(CBUUID(bench: 6), .indicate),
            make(CBUUID(bench: 7), [.read, .write]),
            make(CBUUID(bench: 8), .read), make(CBUUID(bench: 9), .write),
            make(CBUUID(bench: 10), [.notify, .indicate]),
            make(CBUUID(bench: 11), .read, Data([1])), make(CBUUID(bench: 11), .read, Data([2])),
        ]
        values[CBUUID(bench: 8)] = Data(BenchService.longValue)
        for (uuid, characteristics) in [
            ("180D", [make(CBUUID(string: "2A37"), .notify)]),
            ("180F", [make(CBUUID(string: "2A19"), .read, Data([87]))]),
            ("180A", []),
        ] {
            let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
            service.characteristics = characteristics
            peripheral.add(service)
        }
        peripheral.add(bench)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "CB Bench", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
        ])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        waiting.withLock { waiting in
            waiting?.resume()
            waiting = nil
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard characteristic.uuid == CBUUID(string: "2A37"), let source = sources[characteristic.uuid] else { return }
        series.append((source, Data([0, 60])))
        send()
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = values[request.characteristic.uuid] ?? Data()
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = Data(value.dropFirst(request.offset))
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        if first.characteristic.uuid == CBUUID(bench: 9) {
            order([UInt8](first.value ?? Data()))
        } else {
            // A long write arrives in parts.
            var value = Data()
            for request in requests { value = value.prefix(request.offset) + (request.value ?? Data()) }
            values[first.characteristic.uuid] = value
        }
        peripheral.respond(to: first, withResult: .success)
        send()
    }

    private func order(_ bytes: [UInt8]) {
        let kind: Bool
        let (count, size): (Int, Int)
        switch BenchService.Command(bytes) {
        case .notify(let ordered, let octets): (kind, count, size) = (true, ordered, octets)
        case .indicate(let ordered, let octets): (kind, count, size) = (false, ordered, octets)
        default: return
        }
        let either = sources[CBUUID(bench: 10)]
        let usual = sources[CBUUID(bench: kind ? 5 : 6)]
        let source = either?.subscribedCentrals?.isEmpty == false ? either : usual
        guard let source else { return }
        for index in 0..<count { series.append((source, Data(BenchService.pattern(index, size)))) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

    private func send() {
        while let (source, value) = series.first {
            guard manager?.updateValue(value, for: source, onSubscribedCentrals: nil) == true else { return }
            series.removeFirst()
        }
    }
}
#endif
