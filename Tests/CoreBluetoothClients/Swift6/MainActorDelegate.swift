import CoreBluetooth

// Code as it is written for Apple's systems in Swift 6 mode: it imports CoreBluetooth alone.

/// A delegate on the main actor, with methods that leave it.
@MainActor
final class NearbyDevices: NSObject {
    private var manager: CBCentralManager?
    private(set) var names: [UUID: String] = [:]

    func start() { manager = CBCentralManager(delegate: self, queue: nil) }
}

extension NearbyDevices: CBCentralManagerDelegate {
    nonisolated func centralManagerDidUpdateState(_ central: CBCentralManager) {
        MainActor.assumeIsolated { if manager?.state == .poweredOn { manager?.scanForPeripherals(withServices: nil) } }
    }

    nonisolated func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let (id, name) = (peripheral.identifier, peripheral.name ?? "?")
        MainActor.assumeIsolated { names[id] = name }
    }
}

/// A delegate on the main actor whose whole conformance is.
@MainActor
final class Beacon: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager?

    func start() { manager = CBPeripheralManager(delegate: self, queue: .main) }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Beacon"]) }
    }
}
