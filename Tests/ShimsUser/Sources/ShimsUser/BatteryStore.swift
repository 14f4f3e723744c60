import Combine
import CoreBluetooth.CBCentralManager
import CoreBluetooth.CBUUID
import Foundation
import os.log

// Code as in an app for a phone, with nothing specific to Linux.

enum BatteryFailure: Error {
    case unavailable
    case disconnected
}

final class BatteryStore: NSObject, ObservableObject {
    @Published private(set) var level: Int?
    @Published private(set) var isConnected = false
    let failures = PassthroughSubject<BatteryFailure, Never>()
    /// The states of the device.
    private(set) var states: [CBPeripheralState] = []

    private let logger = Logger(subsystem: "com.example.battery", category: "bluetooth")
    private let events = OSAllocatedUnfairLock(initialState: 0)
    private var manager: CBCentralManager!
    private var device: CBPeripheral?
    private var cancellables = Set<AnyCancellable>()

    override init() {
        super.init()
        manager = CBCentralManager(delegate: self, queue: .main)
        $level
            .compactMap { $0 }
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .sink { [logger] level in logger.info("battery at \(level, format: .decimal) %") }
            .store(in: &cancellables)
    }

    var eventCount: Int { events.withLock { $0 } }

    private func count() { events.withLock { $0 += 1 } }
}

extension BatteryStore: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        count()
        os_log("state %d", log: .default, type: .debug, central.state.rawValue)
        guard central.state == .poweredOn else { return failures.send(.unavailable) }
        central.scanForPeripherals(withServices: [CBUUID(string: "180F")])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        count()
        logger.debug("found \(peripheral.name ?? "?", privacy: .private(mask: .hash)), \(RSSI.intValue) dBm")
        central.stopScan()
        device = peripheral
        peripheral.delegate = self
        peripheral.publisher(for: \.state).sink { [weak self] in self?.states.append($0) }.store(in: &cancellables)
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        count()
        isConnected = true
        peripheral.discoverServices([CBUUID(string: "180F")])
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?
    ) {
        count()
        isConnected = false
        if let error { logger.error("disconnected: \(error.localizedDescription, privacy: .public)") }
        failures.send(.disconnected)
    }
}

extension BatteryStore: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        count()
        if let error = error as NSError? { logObjects(peripheral, error) }
        level = characteristic.value?.first.map(Int.init)
    }
}
