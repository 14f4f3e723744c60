import CoreBluetooth
import Testing
import VirtualTransport

/// Operations that end for several devices at once end in the order in which they began.
@Suite(.timeLimit(.minutes(2))) struct DeviceOrderTests {
    private final class Witness: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
        let log = EventLog()

        func centralManagerDidUpdateState(_ central: CBCentralManager) { log.add("state \(central.state.name)") }
        func centralManager(
            _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
        ) { log.add("failed \(peripheral.identifier.uuidString)") }
    }

    @Test func attemptsEndInTheOrderInWhichTheyBegan() async {
        let radio = VirtualRadio()
        let witness = Witness()
        let manager = CBCentralManager(
            delegate: witness, queue: namedQueue("order"),
            options: [HaraldManagerOptionAdapterKey: radio.source(named: "central")])
        await witness.log.next("state poweredOn")
        // Devices that do not exist.
        let absent = (10..<30).compactMap { UUID(uuidString: "48415241-4C44-8000-8001-C000000000\($0)") }
        let devices = manager.retrievePeripherals(withIdentifiers: absent)
        for device in devices { manager.connect(device) }
        await radio.setPowered(false, adapterNamed: "central")
        for _ in absent { await witness.log.next("failed") }
        let failed = witness.log.all.filter { $0.hasPrefix("failed") }
        #expect(failed == absent.map { "failed \($0.uuidString)" })
        withExtendedLifetime(devices) {}
    }
}
