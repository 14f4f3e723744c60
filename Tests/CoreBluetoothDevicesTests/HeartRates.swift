import CoreBluetooth
import CoreBluetoothDevices

/// Reports the heart rates of the first strap that it finds.
final class HeartRates: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var onRate: (Int) -> Void = { print($0, "bpm") }
    private var strap: PeripheralDriver<HeartRateStrap>?

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard strap == nil, HeartRateStrap.matches(peripheral, advertisementData: advertisementData) else { return }
        central.stopScan()
        strap = PeripheralDriver(peripheral)
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        strap?.discoverServices()
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        try? strap?.discoverCharacteristics()
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if (try? strap?.isDiscovered()) == true { try? strap?.heartRate.measurement.setNotify(true) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let value = try? strap?.heartRate.measurement.value(of: characteristic) { onRate(Int(value.rate)) }
    }
}
