#if os(Linux)
import BluetoothModel
import BluetoothRuntime
@preconcurrency import CoreBluetooth
import Foundation
import Harald

/// A `CBPeripheralManager` and its delegate, with the service that each device offers.
///
/// Proof of `@unchecked Sendable`: a single thread drives the world, and the manager's mailbox delivers on that thread.
final class CoreBluetoothDevice: NSObject, CoreDevice, @unchecked Sendable {
    typealias Outcome = Result<Void, BluetoothError>

    private(set) var manager: CBPeripheralManager?
    private weak var world: World?
    private let host: SimulatedHost
    private var characteristics: [Place: CBMutableCharacteristic] = [:]
    private var stateWaiters: [UnsafeContinuation<Void, Never>] = []
    /// The services being added and the advertising being started, in order.
    private var additions: [UnsafeContinuation<Outcome, Never>] = []
    private var advertisings: [UnsafeContinuation<Outcome, Never>] = []
    /// True if a state other than "powered off" has ended the published services.
    private var hasLostServices = false
    /// Values that wait for room, in order.
    private var values: [(Place, UnsafeContinuation<Outcome, Never>)] = []
    private var passing: CBMutableService?
    private var isOver = false

    init(_ host: SimulatedHost, _ world: World) {
        self.host = host
        self.world = world
        super.init()
        var options: [String: Any] = [HaraldManagerOptionAdapterKey: host.source]
        options[HaraldManagerOptionDirectoryKey] = host.directory
        manager = CBPeripheralManager(delegate: self, queue: nil, options: options)
    }

    var isReady: Bool { manager?.state == .poweredOn }

    func subscribers(of place: Place) -> Set<PeripheralID> {
        let centrals = characteristics[place]?.subscribedCentrals ?? []
        return Set(centrals.compactMap { PeripheralID($0.identifier.uuidString) })
    }

    func end() {
        isOver = true
        manager = nil
        for continuation in stateWaiters { continuation.resume() }
        stateWaiters = []
        endAll(.cancelled)
    }

    private func endAll(_ reason: BluetoothError) {
        let ended = additions + advertisings + values.map(\.1)
        (additions, advertisings, values) = ([], [], [])
        for continuation in ended { continuation.resume(returning: .failure(reason)) }
    }

    func waitForState() async {
        guard !isOver, manager?.state == .unknown else { return }
        await withUnsafeContinuation { stateWaiters.append($0) }
    }

    // MARK: Operations

    func publish() async throws(BluetoothError) {
        let service = CBMutableService(type: CBUUID(string: Place.service.description), primary: true)
        for place in Place.allCases {
            var permissions: CBAttributePermissions = []
            if place.properties.contains(.read) {
                permissions.insert(place == .secret ? .readEncryptionRequired : .readable)
            }
            if !place.properties.isDisjoint(with: [.write, .writeWithoutResponse]) { permissions.insert(.writeable) }
            var properties = CBCharacteristicProperties(rawValue: UInt(place.properties.rawValue))
            if place == .secret { properties.insert(.notifyEncryptionRequired) }
            characteristics[place] = CBMutableCharacteristic(
                type: place.core, properties: properties, value: nil, permissions: permissions)
        }
        service.characteristics = Place.allCases.compactMap { characteristics[$0] }
        try await wait(\.additions) { manager?.add(service) }
    }

    func advertise() async throws(BluetoothError) {
        let data: [String: Any] = [
            CBAdvertisementDataLocalNameKey: "Device \(host.index)",
            CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: Place.service.description)],
        ]
        try await wait(\.advertisings) { manager?.startAdvertising(data) }
    }

    /// Adds or removes a service.
    func change() async throws(BluetoothError) {
        if let old = passing {
            passing = nil
            if isReady { manager?.remove(old) }
        } else {
            let service = CBMutableService(type: CBUUID(string: Place.passing.description), primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "2A00"), properties: .read, value: Data([1]), permissions: .readable)
            ]
            passing = service
            try await wait(\.additions) { manager?.add(service) }
        }
    }

    private func wait(
        _ path: ReferenceWritableKeyPath<CoreBluetoothDevice, [UnsafeContinuation<Outcome, Never>]>, _ begin: () -> Void
    ) async throws(BluetoothError) {
        guard isReady else {
            throw BluetoothError(.radio(.poweredOff), operation: "use the manager", reason: "it is not ready")
        }
        let outcome = await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
            self[keyPath: path].append(continuation)
            begin()
        }
        try outcome.get()
    }

    /// Sends the next value, once there is room and the values before it were accepted.
    func send(_ place: Place) async throws(BluetoothError) {
        guard isReady else {
            throw BluetoothError(.radio(.poweredOff), operation: "send", reason: "the manager is not ready")
        }
        let outcome = await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
            values.append((place, continuation))
            if values.count == 1 { proceed() }
        }
        try outcome.get()
    }

    private func proceed() {
        while let (place, continuation) = values.first, let manager, let characteristic = characteristics[place] {
            let stamp = host.log.next(of: place, for: 0)
            guard manager.updateValue(Data(stamp.bytes), for: characteristic, onSubscribedCentrals: nil) else {
                // The next attempt reuses the number.
                host.log.takeBack(of: place)
                return
            }
            values.removeFirst()
            continuation.resume(returning: .success(()))
        }
    }

    private func value(of place: Place) -> [UInt8] { host.log.value(of: place) }
}

extension CoreBluetoothDevice: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        for continuation in stateWaiters { continuation.resume() }
        stateWaiters = []
        guard peripheral.state == .poweredOn else {
            if peripheral.state != .poweredOff { hasLostServices = true }
            return endAll(BluetoothError(.radio(.poweredOff), operation: "send", reason: "the manager is not ready"))
        }
        guard hasLostServices else { return }
        hasLostServices = false
        passing = nil
        _ = world?.task { [weak self] in try? await self?.publish() }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        guard !additions.isEmpty else { return }
        let outcome: Outcome = error.map { .failure(BluetoothError(core: $0, "add")) } ?? .success(())
        additions.removeFirst().resume(returning: outcome)
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        guard !advertisings.isEmpty else { return }
        let outcome: Outcome = error.map { .failure(BluetoothError(core: $0, "advertise")) } ?? .success(())
        advertisings.removeFirst().resume(returning: outcome)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let place = Place(request.characteristic) else {
            return peripheral.respond(to: request, withResult: .attributeNotFound)
        }
        let value = value(of: place)
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = Data(value[request.offset...])
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first, let place = Place(first.characteristic) else { return }
        var value: [UInt8] = []
        for request in requests {
            guard request.characteristic === first.characteristic, request.offset == value.count else {
                world?.fail(.invented, "\(host.name): the parts of a write do not fit together")
                return
            }
            value += [UInt8](request.value ?? Data())
        }
        world?.note(value, at: place, of: host.index)
        if place != .sink { peripheral.respond(to: first, withResult: .success) }
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { proceed() }
}
#endif
