import Synchronization
import Testing

@testable import CoreBluetooth

/// Misuse is one line, and nothing else happens.
@Suite(.serialized, .timeLimit(.minutes(2))) struct MisuseTests {
    /// Its name is in the lines. `@unchecked Sendable`: it adds no state, and a manager may be called from any thread.
    final class MisusedManager: CBCentralManager, @unchecked Sendable {}

    /// The lines about one thing that `body` causes; others of other tests come at the same time.
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
        // The delegate hears of what comes next, and of nothing before.
        let before = bench.central.log.all.count
        bench.centralManager.connect(bench.peripheral)
        #expect(await bench.central.log.next("") == "connect true")
        #expect(bench.central.log.all.dropFirst(before).first == "connect true")
    }
}
