import CoreBluetooth
import Observation

/// The view model of a heart rate screen: SwiftUI observes it on a phone; on Linux the same file is tested.
@MainActor @Observable final class HeartRateModel: NSObject {
    enum State: Equatable { case off, searching, connected(Int?) }
    private(set) var state = State.off
    @ObservationIgnored private var manager: CBCentralManager?
    @ObservationIgnored private var strap: CBPeripheral?

    func start() { manager = CBCentralManager(delegate: self, queue: nil) }
}

extension HeartRateModel: @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return state = .off }
        state = .searching
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        strap = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        state = .connected(nil)
        peripheral.discoverServices([CBUUID(string: "180D")])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for one in service.characteristics ?? [] where one.uuid == CBUUID(string: "2A37") {
            peripheral.setNotifyValue(true, for: one)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let value = characteristic.value, value.count > 1 { state = .connected(Int(value[1])) }
    }
}
