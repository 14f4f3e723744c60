import CoreBluetooth

/// The peripheral role: a heart-rate strap with a battery and a command characteristic.
public final class SimulatedStrap: NSObject, CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager!
    private let measurement = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: .readable)
    private let location = CBMutableCharacteristic(
        type: CBUUID(string: "2A38"), properties: .read, value: Data([1]), permissions: .readable)
    private let level = CBMutableCharacteristic(
        type: CBUUID(string: "2A19"), properties: .read, value: nil, permissions: .readable)
    private let command = CBMutableCharacteristic(
        type: CBUUID(string: "FFF1"), properties: [.write, .writeWithoutResponse], value: nil, permissions: .writeable)
    private var rate: UInt8 = 60
    private var waiting = 3

    /// Receives one line for each event.
    public var report: (String) -> Void

    /// Starts as soon as the radio is powered on.
    public init(queue: DispatchQueue? = nil, options: [String: Any]? = nil, report: @escaping (String) -> Void) {
        self.report = report
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
    }

    public func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        for (uuid, characteristics) in [("180D", [measurement, location]), ("180F", [level]), ("FFF0", [command])] {
            let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
            service.characteristics = characteristics
            peripheral.add(service)
        }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Strap", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
        ])
    }

    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: Error?) {
        report(error.map { "cannot advertise: \($0)" } ?? "advertising")
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data([87])
        peripheral.respond(to: request, withResult: .success)
    }

    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests { report("command \(request.value.map { [UInt8]($0) } ?? [])") }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
    }

    public func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        waiting = 3
        send()
    }

    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

    private func send() {
        while waiting > 0 {
            guard manager.updateValue(Data([0, rate]), for: measurement, onSubscribedCentrals: nil) else { return }
            rate = rate < 180 ? rate + 1 : 60
            waiting -= 1
        }
    }
}
