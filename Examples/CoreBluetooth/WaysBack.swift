import CoreBluetooth

/// Finds a device again, in this order: a device that is connected already, a device that is known by its stored
/// identifier, and a device found by a new scan.
public final class WaysBack: NSObject, CBCentralManagerDelegate {
    /// The way by which the device was found.
    public enum Way: String {
        case connected, known, found
    }

    private let service: CBUUID
    private let stored: UUID?
    private var manager: CBCentralManager!
    private var device: CBPeripheral?
    private var way = Way.found
    private let done: (Way, UUID) -> Void

    /// Starts when the radio is powered on. `done` receives the way, and the identifier to store for the next run.
    public init(service: CBUUID, stored: UUID?, queue: DispatchQueue? = nil, done: @escaping (Way, UUID) -> Void) {
        self.service = service
        self.stored = stored
        self.done = done
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        if let connected = central.retrieveConnectedPeripherals(withServices: [service]).first {
            connect(connected, .connected)
        } else if let stored, let known = central.retrievePeripherals(withIdentifiers: [stored]).first {
            connect(known, .known)
        } else {
            central.scanForPeripherals(withServices: [service], options: nil)
        }
    }

    private func connect(_ peripheral: CBPeripheral, _ way: Way) {
        device = peripheral
        self.way = way
        manager.connect(peripheral)
    }

    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        connect(peripheral, .found)
    }

    public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        done(way, peripheral.identifier)
    }
}
