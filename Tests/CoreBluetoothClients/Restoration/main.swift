import CoreBluetooth

// A program that uses state restoration, to be killed and started again: it connects to a strap, explores it and has
// its rate sent; the next run is handed all of that.
setlinebuf(stdout)

final class Strap: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let rate = CBUUID(string: "2A37")
    private var manager: CBCentralManager!
    private var device: CBPeripheral?
    private var values = 0

    override init() {
        super.init()
        manager = CBCentralManager(
            delegate: self, queue: nil, options: [CBCentralManagerOptionRestoreIdentifierKey: "strap"])
    }

    private func tree(_ peripheral: CBPeripheral) -> String {
        (peripheral.services ?? []).map { service in
            let characteristics = (service.characteristics ?? []).map { characteristic in
                let descriptors = (characteristic.descriptors ?? []).map(\.uuid.uuidString).joined(separator: "+")
                return "\(characteristic.uuid.uuidString)(\(descriptors))\(characteristic.isNotifying ? "!" : "")"
            }
            return "\(service.uuid.uuidString)[\(characteristics.joined(separator: " "))]"
        }.joined(separator: " ")
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let devices = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        device = devices.first
        device?.delegate = self
        print("restored \(devices.count) \(device.map { tree($0) } ?? "")")
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        print("state \(central.state == .poweredOn ? "poweredOn" : "\(central.state.rawValue)")")
        guard central.state == .poweredOn, device == nil else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        device = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        print("connected \(tree(peripheral))")
        if peripheral.services == nil { peripheral.discoverServices([CBUUID(string: "180D")]) }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        print("modified \(invalidatedServices.map(\.uuid.uuidString))")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics([rate], for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] { peripheral.discoverDescriptors(for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { peripheral.setNotifyValue(true, for: characteristic) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) { print("notifying \(characteristic.isNotifying)") }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        values += 1
        if values <= 2 { print("value \(characteristic.uuid.uuidString)") }
    }
}

let strap = Strap()
RunLoop.main.run()
