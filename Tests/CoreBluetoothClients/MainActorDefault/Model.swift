import CoreBluetooth

// A module that is isolated to the main actor by default, as new Xcode projects are.

final class HeartModel: NSObject {
    private var manager: CBCentralManager?
    private var strap: CBPeripheral?
    private(set) var rate = 0

    func start() { manager = CBCentralManager(delegate: self, queue: nil, options: nil) }
}

extension HeartModel: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        strap = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }
}

extension HeartModel: CBPeripheralDelegate {
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        rate = Int(characteristic.value?.dropFirst().first ?? 0)
    }
}
