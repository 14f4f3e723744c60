import CoreBluetooth

// The classes of CoreBluetooth are not Sendable; programs that need it say so themselves. (In another package it is
// `@retroactive @unchecked Sendable`.)
extension CBPeripheral: @unchecked Sendable {}
extension CBUUID: @unchecked Sendable {}

/// An actor around a manager: discoveries as a stream, a connection as an async call.
actor Scanner {
    private let bridge = Bridge()
    private let queue = DispatchQueue(label: "scanner")
    private lazy var manager = CBCentralManager(delegate: bridge, queue: queue)

    func discoveries(of services: [CBUUID]) -> AsyncStream<CBPeripheral> {
        let manager = manager
        return AsyncStream { continuation in
            bridge.found = { continuation.yield($0) }
            bridge.ready = { manager.scanForPeripherals(withServices: services) }
        }
    }

    func connect(_ peripheral: CBPeripheral) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            bridge.connected = { continuation.resume(with: $0) }
            manager.connect(peripheral)
        }
    }
}

private final class Bridge: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    var found: ((CBPeripheral) -> Void)?
    var ready: (() -> Void)?
    var connected: ((Result<Void, any Error>) -> Void)?

    func centralManagerDidUpdateState(_ central: CBCentralManager) { if central.state == .poweredOn { ready?() } }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { found?(peripheral) }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { connected?(.success(())) }
    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        connected?(.failure(error ?? CBError(.unknown)))
    }
}
