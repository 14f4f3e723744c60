import CoreBluetooth
import CoreBluetoothDevices
import Synchronization
import VirtualDevices

/// A typical CoreBluetooth program: it finds a device of a kind, connects, discovers the declared attributes, and then
/// calls `ready` and `value` until they return a result.
///
/// Proof of `@unchecked Sendable`: accessed on its queue only, except the continuation, which a mutex guards.
final class DeviceVisit<Device: DeviceDeclaration, Result: Sendable>: NSObject, CBCentralManagerDelegate,
    CBPeripheralDelegate, @unchecked Sendable
{
    typealias Driver = PeripheralDriver<Device>

    private let queue = DispatchQueue(label: "visit")
    private let source: AdapterSource
    private let ready: (Driver) throws -> Void
    private let value: (Driver, CBCharacteristic) throws -> Result?
    private var manager: CBCentralManager?
    private var driver: Driver?
    private var isReady = false
    private let waiting = Mutex<CheckedContinuation<Result, any Error>?>(nil)

    private init(
        _ source: AdapterSource, ready: @escaping @Sendable (Driver) throws -> Void,
        value: @escaping @Sendable (Driver, CBCharacteristic) throws -> Result?
    ) {
        (self.source, self.ready, self.value) = (source, ready, value)
    }

    /// Runs a visit to its end.
    static func run(
        from source: AdapterSource, ready: @escaping @Sendable (Driver) throws -> Void,
        value: @escaping @Sendable (Driver, CBCharacteristic) throws -> Result?
    ) async throws -> Result {
        let visit = DeviceVisit(source, ready: ready, value: value)
        let result = try await withCheckedThrowingContinuation { continuation in
            visit.waiting.withLock { $0 = continuation }
            visit.queue.async {
                visit.manager = CBCentralManager(
                    delegate: visit, queue: visit.queue, options: [HaraldManagerOptionAdapterKey: source])
            }
        }
        await withCheckedContinuation { continuation in
            visit.queue.async {
                if let driver = visit.driver { visit.manager?.cancelPeripheralConnection(driver.peripheral) }
                visit.manager = nil
                continuation.resume()
            }
        }
        return result
    }

    private func end(_ result: Swift.Result<Result, any Error>) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(with: result)
    }

    private func attempt(_ body: () throws -> Void) { do { try body() } catch { end(.failure(error)) } }

    // MARK: The delegate's calls

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard driver == nil, Device.matches(peripheral, advertisementData: advertisementData) else { return }
        central.stopScan()
        driver = PeripheralDriver(peripheral)
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { driver?.discoverServices() }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        end(.failure(error ?? CBError(.peripheralDisconnected)))
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        attempt { try driver?.discoverCharacteristics() }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        attempt {
            guard let driver, !isReady, try driver.isDiscovered() else { return }
            isReady = true
            try ready(driver)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        attempt {
            if let error { throw error }
            if let driver, let result = try value(driver, characteristic) { end(.success(result)) }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { end(.failure(error)) }
    }
}
