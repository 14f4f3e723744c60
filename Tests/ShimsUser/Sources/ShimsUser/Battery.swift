import CoreBluetooth

/// The device: it offers the Battery Service.
final class Battery: NSObject, CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager!

    init(on source: AdapterSource) {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: .main, options: [HaraldManagerOptionAdapterKey: source])
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "2A19"), properties: .read, value: Data([87]), permissions: .readable)
        ]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
    }
}
