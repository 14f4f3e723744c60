import CoreBluetooth

/// Finds a heart-rate strap, reads its battery, follows the heart and writes to FFF1, as an app for a phone would.
public final class HeartRateMonitor: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let heartRateService = CBUUID(string: "180D")
    private let batteryService = CBUUID(string: "180F")
    private let vendorService = CBUUID(string: "FFF0")
    private let measurement = CBUUID(string: "2A37")
    private let sensorLocation = CBUUID(string: "2A38")
    private let batteryLevel = CBUUID(string: "2A19")
    private let command = CBUUID(string: "FFF1")

    private var manager: CBCentralManager!
    private var strap: CBPeripheral?
    private var wantsToEnd = false

    /// Receives one line for each event.
    public var report: (String) -> Void

    /// Starts as soon as the radio is powered on.
    public init(queue: DispatchQueue? = nil, report: @escaping (String) -> Void) {
        self.report = report
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    /// Stops listening, then disconnects.
    public func end() {
        guard let strap else { return }
        wantsToEnd = true
        for characteristic in strap.services?.flatMap({ $0.characteristics ?? [] }) ?? []
        where characteristic.isNotifying {
            strap.setNotifyValue(false, for: characteristic)
        }
        manager.cancelPeripheralConnection(strap)
    }

    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn: central.scanForPeripherals(withServices: [heartRateService])
        case .poweredOff: report("turn Bluetooth on")
        case .unsupported: report("there is no Bluetooth here")
        case .unauthorized: report("this program may not use Bluetooth")
        case .unknown, .resetting: break
        @unknown default: break
        }
    }

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard RSSI.intValue != 127, RSSI.intValue > -90 else { return }
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name ?? "a device"
        report("found \(name)")
        strap = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral, options: nil)
    }

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        report("connected")
        peripheral.discoverServices([heartRateService, batteryService, vendorService])
    }

    public func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?
    ) { report("could not connect: \(error?.localizedDescription ?? "")") }

    public func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
    ) {
        if let error = error as? CBError, error.code == .connectionTimeout || error.code == .peripheralDisconnected {
            report("lost")
            central.connect(peripheral, options: nil)
        } else {
            report("disconnected")
        }
    }

    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?
    ) {
        for characteristic in service.characteristics ?? [] {
            if characteristic.uuid == command {
                let bytes = Data([0xAA, 0xBB])
                peripheral.writeValue(bytes, for: characteristic, type: .withResponse)
                if characteristic.properties.contains(.writeWithoutResponse) {
                    peripheral.writeValue(bytes, for: characteristic, type: .withoutResponse)
                }
            }
            if characteristic.properties.contains(.read) { peripheral.readValue(for: characteristic) }
            if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
        }
    }

    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?
    ) {
        guard error == nil, let value = characteristic.value, let first = value.first else { return }
        switch characteristic.uuid {
        case batteryLevel: report("battery \(first) %")
        case sensorLocation: report("worn at place \(first)")
        case measurement where value.count >= 2:
            // Bit 0 is set if the rate has 16 bits.
            let isWide = first & 1 == 1 && value.count >= 3
            report("heart rate \(isWide ? Int(value[1]) | Int(value[2]) << 8 : Int(value[1]))")
        default: break
        }
    }

    public func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?)
    {
        report("wrote \(characteristic.uuid)")
    }
}
