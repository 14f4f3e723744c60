#if os(Linux)
import BluetoothModel
import BluetoothRuntime
@preconcurrency import CoreBluetooth
import Foundation
import Harald

/// A `CBCentralManager` and its delegate, which turns calls of the delegate into ends of async operations.
///
/// Proof of `@unchecked Sendable`: a single thread drives the world, and the manager's mailbox delivers on that thread.
final class CoreBluetoothCentral: NSObject, CoreCentral, @unchecked Sendable {
    /// A request of the program that ends with a call of the delegate.
    enum Request: Hashable {
        case connect, disconnect, services, signalStrength
        case characteristics(String)
        case descriptors(String)
        case read(String)
        case write(String)
        case notify(String)
    }

    struct Key: Hashable {
        var device: UUID
        var request: Request
    }

    typealias Outcome = Result<Void, BluetoothError>

    private(set) var manager: CBCentralManager?
    private weak var world: World?
    private let host: SimulatedHost
    private var waiting: [Key: [UnsafeContinuation<Outcome, Never>]] = [:]
    private var stateWaiters: [UnsafeContinuation<Void, Never>] = []
    /// The devices that the program holds, by host.
    var peripherals: [Int: CBPeripheral] = [:]
    /// The hosts whose lost links the program establishes again.
    var stays: Set<Int> = []
    /// The devices that a running scan has reported, with their advertised names.
    var found: [UUID: String]?
    private var isOver = false

    init(_ host: SimulatedHost, _ world: World) {
        self.host = host
        self.world = world
        super.init()
        var options: [String: Any] = [HaraldManagerOptionAdapterKey: host.source]
        options[HaraldManagerOptionDirectoryKey] = host.directory
        manager = CBCentralManager(delegate: self, queue: nil, options: options)
    }

    var isReady: Bool { manager?.state == .poweredOn }

    func isConnected(to target: Int) -> Bool { peripherals[target]?.state == .connected }

    static func identifier(_ host: SimulatedHost) -> UUID? {
        UUID(uuidString: PeripheralID(host.deviceAddress).description)
    }

    func end() {
        isOver = true
        peripherals = [:]
        stays = []
        manager = nil
        let open = waiting.values.flatMap { $0 }
        waiting = [:]
        for continuation in open { continuation.resume(returning: .failure(.cancelled)) }
        for continuation in stateWaiters { continuation.resume() }
        stateWaiters = []
    }

    /// Returns when the manager has reported a state.
    func waitForState() async {
        guard !isOver, manager?.state == .unknown else { return }
        await withUnsafeContinuation { stateWaiters.append($0) }
    }

    // MARK: Requests

    /// Begins a request and returns when the delegate was called with its end.
    func ask(
        _ device: CBPeripheral, _ request: Request, of service: CBService? = nil, _ begin: () -> Void
    ) async throws(BluetoothError) {
        // The delegate is not called for a request to a service that has become invalid.
        if let service, device.services?.contains(where: { $0 === service }) != true {
            throw BluetoothError(.notConnected, operation: "\(request)", reason: "the service is of an earlier link")
        }
        switch request {
        case .connect, .disconnect: break
        default:
            guard device.state == .connected else {
                throw BluetoothError(.notConnected, operation: "\(request)", reason: "the device is not connected")
            }
        }
        guard !isOver else { throw .cancelled }
        let outcome = await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
            waiting[Key(device: device.identifier, request: request), default: []].append(continuation)
            begin()
        }
        try outcome.get()
    }

    /// Ends the oldest of equal requests, because answers come in the order of the requests.
    private func answered(_ device: CBPeripheral, _ request: Request, _ error: (any Error)?) {
        let key = Key(device: device.identifier, request: request)
        guard let continuation = waiting[key]?.first else {
            let reason = error.map { "\($0)" } ?? "done"
            world?.fail(.invented, "\(host.name): a call of the delegate for \(request) that nobody made: \(reason)")
            return
        }
        waiting[key]?.removeFirst()
        continuation.resume(returning: error.map { .failure(BluetoothError(core: $0, "\(request)")) } ?? .success(()))
    }

    /// Ends all requests of a kind.
    func finish(_ device: CBPeripheral, _ request: Request, _ outcome: Outcome) {
        let all = waiting.removeValue(forKey: Key(device: device.identifier, request: request)) ?? []
        for continuation in all { continuation.resume(returning: outcome) }
    }

    private func target(of device: CBPeripheral) -> Int? { peripherals.first { $0.value === device }?.key }
}

extension CoreBluetoothCentral: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        for continuation in stateWaiters { continuation.resume() }
        stateWaiters = []
        guard central.state == .poweredOn else { return }
        for target in stays.sorted() {
            if let device = peripherals[target], device.state == .disconnected { central.connect(device) }
        }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        found?[peripheral.identifier] = name ?? found?[peripheral.identifier] ?? ""
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        finish(peripheral, .connect, .success(()))
        if let target = target(of: peripheral) { world?.coreConnected(host, target) }
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        let reason = error.map { BluetoothError(core: $0, "connect") } ?? .cancelled
        finish(peripheral, .connect, .failure(reason))
        finish(peripheral, .disconnect, .success(()))
        if [.bondLost, .security, .pairingFailed].contains(reason.code), let target = target(of: peripheral) {
            // The user has to decide.
            stays.remove(target)
            world?.coreGaveUp(host, target)
        }
        returns(to: peripheral)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if peripheral.state == .disconnected {
            finish(peripheral, .connect, .failure(error.map { BluetoothError(core: $0, "connect") } ?? .cancelled))
        }
        finish(peripheral, .disconnect, .success(()))
        if let target = target(of: peripheral) { world?.coreDisconnected(host, target) }
        returns(to: peripheral)
    }

    /// Connects again after a second if the program stays connected.
    private func returns(to device: CBPeripheral) {
        guard let world, let target = target(of: device), stays.contains(target) else { return }
        let life = ObjectIdentifier(device)
        _ = world.task { [weak self, weak world] in
            await world?.scheduler.sleep(.seconds(1))
            guard let self, stays.contains(target), isReady, let device = peripherals[target],
                ObjectIdentifier(device) == life, device.state == .disconnected
            else { return }
            manager?.connect(device)
        }
    }
}

extension CoreBluetoothCentral: CBPeripheralDelegate {
    /// Subscribes again if the service has ended, as programs do.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        guard let target = target(of: peripheral),
            invalidatedServices.contains(where: { $0.uuid == CBUUID(string: Place.service.description) })
        else { return }
        world?.coreConnected(host, target)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        answered(peripheral, .signalStrength, error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        answered(peripheral, .services, error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        answered(peripheral, .characteristics(service.uuid.uuidString), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answered(peripheral, .descriptors(characteristic.uuid.uuidString), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        // A notifying characteristic is either read or subscribed to: the delegate cannot distinguish a value that was
        // read from a notification.
        if Place(characteristic) == .secret || characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            return answered(peripheral, .read(characteristic.uuid.uuidString), error)
        }
        guard let target = target(of: peripheral), let place = Place(characteristic), let value = characteristic.value
        else { return }
        world?.coreHeard(host, target, place, [UInt8](value))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        answered(peripheral, .write(characteristic.uuid.uuidString), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        answered(peripheral, .notify(characteristic.uuid.uuidString), error)
    }
}

extension Place {
    /// The UUID as a value of CoreBluetooth.
    var core: CBUUID { CBUUID(string: uuid.description) }

    /// The place of a characteristic; nil for any other.
    init?(_ characteristic: CBCharacteristic) {
        guard let place = Place.allCases.first(where: { $0.core == characteristic.uuid }) else { return nil }
        self = place
    }
}
#endif
