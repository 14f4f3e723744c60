#if os(macOS) || os(iOS) || os(visionOS) || os(Linux)
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// A local device on a peripheral manager of CoreBluetooth.
///
/// CoreBluetooth reports subscriptions, reads and writes, but not connections, and cannot disconnect: a central counts
/// as connected from its first request until its last subscription ends.
final class AppleLocalDevice: LocalDevice {
    private let radio: AppleRadio
    weak var delegate: (any LocalDeviceDelegate)?
    private let events: PeripheralEvents
    private var manager: CBPeripheralManager?
    private var isReady = false
    let services = LocalServices()
    /// The services to be added to the database, one at a time: one may include another before it.
    private var adding: [CBMutableService] = []
    private var isAdding = false
    /// The error of the first service that the system refused, which is reported to the caller of `startAdvertising`.
    private var flaw: RadioError?
    private var advertising: [(AdvertisingRequest, (Result<Void, RadioError>) -> Void)] = []
    private var started: ((Result<Void, RadioError>) -> Void)?
    private var isAdvertising = false
    private var known: [PeripheralID: CBCentral] = [:]
    private var subscriptions: [AttributeID: [PeripheralID]] = [:]
    private var updates: [Update] = []
    /// Limit of pending updates of one characteristic.
    private static let updateLimit = 64
    private(set) var droppedValues = 0
    private var publishing: [(accepted: (any BackendChannel) -> Void, (Result<UInt16, RadioError>) -> Void)] = []
    private var accepted: [UInt16: (any BackendChannel) -> Void] = [:]

    private struct Update {
        var bytes: [UInt8]
        var value: LocalServices.Value
        var centrals: [CBCentral]?
        var completion: (Result<Void, RadioError>) -> Void
    }

    init(
        _ configuration: LocalDeviceConfiguration, radio: AppleRadio, delegate: any LocalDeviceDelegate
    ) throws(RadioError) {
        guard configuration.address == .automatic else {
            throw .unsupported("CoreBluetooth chooses the address itself")
        }
        guard configuration.requiredSecurity == .none else {
            throw .unsupported(
                "CoreBluetooth requests encryption for a characteristic, not for a whole link")
        }
        self.radio = radio
        self.delegate = delegate
        events = PeripheralEvents(loop: radio.loop)
        events.device = self
        let (queue, events, options) = (radio.queue, events, radio.options)
        manager = queue.run { CBPeripheralManager(delegate: events, queue: queue.dispatch, options: options) }
    }

    var address: BluetoothAddress? { nil }
    func security(of central: PeripheralID) -> LinkSecurity? { nil }

    func withManager(_ body: (CBPeripheralManager) -> Void) {
        if let manager { radio.queue.run { body(manager) } }
    }

    func stateChanged(_ state: RadioState) {
        isReady = state == .poweredOn
        if isReady { return addNext() }
        guard state != .unknown else { return }
        let error = RadioError.radio(state, reason: radio.stateReason)
        let waiting = advertising.map(\.1) + [started].compactMap(\.self)
        advertising = []
        started = nil
        for completion in waiting { completion(.failure(error)) }
        endUpdates(error)
        for central in Array(known.keys) { forget(central, error) }
        if isAdvertising {
            isAdvertising = false
            delegate?.localDevice(advertisingEnded: error)
        }
    }

    // MARK: The database

    func add(_ service: LocalService) throws(RadioError) -> PlacedService {
        if let error = radio.unavailableError { throw error }
        let (object, placed) = try services.make(service)
        adding.append(object)
        addNext()
        return placed
    }

    private func addNext() {
        guard isReady, !isAdding else { return }
        guard !adding.isEmpty else { return advertiseNext() }
        isAdding = true
        let service = adding.removeFirst()
        withManager { $0.add(service) }
    }

    func added(_ error: RadioError?) {
        isAdding = false
        if flaw == nil { flaw = error }
        addNext()
    }

    func remove(_ service: AttributeID) {
        guard let object = services.service(service) else { return }
        let gone = services.values.values.filter { value in
            object.characteristics?.contains { $0 === value.object } == true
        }
        for value in gone { subscriptions[value.id] = nil }
        _ = services.remove(service)
        if adding.contains(where: { $0 === object }) { return adding.removeAll { $0 === object } }
        withManager { $0.remove(object) }
    }

    func setValue(_ value: [UInt8], of attribute: AttributeID) { services.values[attribute]?.bytes = value }

    // MARK: Advertising

    func startAdvertising(_ request: AdvertisingRequest, completion: @escaping (Result<Void, RadioError>) -> Void) {
        if let error = radio.unavailableError { return completion(.failure(error)) }
        if let problem = request.coreBluetoothProblem { return completion(.failure(.unsupported(problem))) }
        advertising.append((request, completion))
        addNext()
    }

    private func advertiseNext() {
        guard isReady, started == nil, !advertising.isEmpty else { return }
        let (request, completion) = advertising.removeFirst()
        if let flaw { return completion(.failure(flaw)) }
        started = completion
        let wasAdvertising = isAdvertising
        withManager {
            if wasAdvertising { $0.stopAdvertising() }
            $0.startAdvertising(request.coreBluetooth)
        }
    }

    func advertisingStarted(_ error: RadioError?) {
        isAdvertising = error == nil
        let completion = started
        started = nil
        completion?(error.map { .failure($0) } ?? .success(()))
        advertiseNext()
    }

    func stopAdvertising(completion: @escaping () -> Void) {
        if isAdvertising { withManager { $0.stopAdvertising() } }
        isAdvertising = false
        radio.loop.executeNext(completion)
    }

    // MARK: Centrals

    func note(_ central: CBCentral) -> PeripheralID {
        let id = PeripheralID(central.identifier)
        if known.updateValue(central, forKey: id) == nil { delegate?.localDevice(connected: id) }
        return id
    }

    private func forget(_ id: PeripheralID, _ error: RadioError) {
        guard known.removeValue(forKey: id) != nil else { return }
        for (attribute, subscribers) in subscriptions where subscribers.contains(id) {
            subscriptions[attribute] = subscribers.filter { $0 != id }
            delegate?.localDevice(unsubscribed: id, from: attribute)
        }
        delegate?.localDevice(disconnected: id, error)
    }

    var centrals: [PeripheralID] { Array(known.keys) }
    func subscribers(of characteristic: AttributeID) -> [PeripheralID] { subscriptions[characteristic] ?? [] }

    func maximumUpdateLength(for central: PeripheralID) -> Int {
        guard let central = known[central] else { return 20 }
        return radio.queue.run { central.maximumUpdateValueLength }
    }

    func disconnect(_ central: PeripheralID) throws(RadioError) {
        throw .unsupported("CoreBluetooth cannot disconnect a central")
    }

    func updateParameters(
        _ request: ConnectionParametersRequest, of central: PeripheralID,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) { completion(.failure(.unsupported("CoreBluetooth chooses the connection parameters itself"))) }

    func subscribed(_ central: CBCentral, to characteristic: CBCharacteristic) {
        let id = note(central)
        guard let value = services.value(of: characteristic) else { return }
        if !subscribers(of: value.id).contains(id) { subscriptions[value.id, default: []].append(id) }
        let notifies = radio.queue.run { value.object.properties.contains(.notify) }
        delegate?.localDevice(subscribed: id, to: value.id, kind: notifies ? .notifications : .indications)
    }

    func unsubscribed(_ central: CBCentral, from characteristic: CBCharacteristic) {
        let id = PeripheralID(central.identifier)
        if let value = services.value(of: characteristic), subscribers(of: value.id).contains(id) {
            subscriptions[value.id]?.removeAll { $0 == id }
            delegate?.localDevice(unsubscribed: id, from: value.id)
        }
        if !subscriptions.values.contains(where: { $0.contains(id) }) { forget(id, .disconnected(.unspecified)) }
    }

    // MARK: Updates

    var canUpdate: Bool { updates.isEmpty }

    /// The system decides which subscriber is too slow, and reports when it accepts more.
    func updateRoom(
        of characteristic: AttributeID, for centrals: [PeripheralID]?, wanted: Int, waitsForStalled: Bool
    ) -> Int {
        Self.updateLimit - updates.count { $0.value.id == characteristic }
    }

    func update(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let place = services.values[characteristic] else {
            return completion(.failure(.att(.invalidHandle, handle: 0)))
        }
        place.bytes = place.bytes.map { _ in value }
        guard !subscribers(of: characteristic).isEmpty else { return completion(.success(())) }
        let receivers = centrals?.compactMap { known[$0] }
        if let receivers, receivers.isEmpty { return completion(.success(())) }
        if updates.count(where: { $0.value === place }) >= Self.updateLimit,
            let oldest = updates.firstIndex(where: { $0.value === place })
        {
            let dropped = updates.remove(at: oldest)
            droppedValues += 1
            dropped.completion(
                .failure(.limit("\(Self.updateLimit) newer values are already queued, so the oldest was dropped")))
        }
        updates.append(
            Update(
                bytes: value, value: place, centrals: receivers, completion: completion))
        if updates.count == 1 { sendUpdates() }
    }

    private func sendUpdates() {
        while let next = updates.first, let manager {
            let isTaken = radio.queue.run {
                manager.updateValue(Data(next.bytes), for: next.value.object, onSubscribedCentrals: next.centrals)
            }
            guard isTaken else { return }
            updates.removeFirst()
            next.completion(.success(()))
        }
    }

    func isReadyToUpdate() {
        sendUpdates()
        if updates.isEmpty { delegate?.localDeviceIsReadyToUpdate() }
    }

    private func endUpdates(_ error: RadioError) {
        let waiting = updates
        updates = []
        for update in waiting { update.completion(.failure(error)) }
    }

    // MARK: Channels

    func publishChannel(
        psm: UInt16?, requiresEncryption: Bool, accepted: @escaping (any BackendChannel) -> Void,
        completion: @escaping (Result<UInt16, RadioError>) -> Void
    ) {
        guard psm == nil else { return completion(.failure(.unsupported("CoreBluetooth chooses the number itself"))) }
        guard manager != nil else { return completion(.failure(.notConnected)) }
        publishing.append((accepted, completion))
        withManager { $0.publishL2CAPChannel(withEncryption: requiresEncryption) }
    }

    func channelPublished(_ result: Result<UInt16, RadioError>) {
        guard !publishing.isEmpty else { return }
        let (accepted, completion) = publishing.removeFirst()
        if case .success(let psm) = result { self.accepted[psm] = accepted }
        completion(result)
    }

    func unpublishChannel(psm: UInt16) {
        guard accepted.removeValue(forKey: psm) != nil else { return }
        withManager { $0.unpublishL2CAPChannel(psm) }
    }

    func opened(_ channel: CBL2CAPChannel) {
        guard let accepted = accepted[channel.psm], let peer = channel.peer else { return }
        accepted(AppleChannel(channel, peer: PeripheralID(peer.identifier), loop: radio.loop))
    }

    // MARK: Closing

    func close(completion: @escaping () -> Void) {
        delegate = nil
        let waiting = advertising.map(\.1) + [started].compactMap(\.self)
        advertising = []
        started = nil
        for completion in waiting { completion(.failure(.cancelled)) }
        for (_, completion) in publishing { completion(.failure(.cancelled)) }
        publishing = []
        endUpdates(.cancelled)
        withManager {
            if $0.state == .poweredOn {
                $0.stopAdvertising()
                $0.removeAllServices()
            }
            $0.delegate = nil
        }
        manager = nil
        if radio.localDevice === self { radio.localDevice = nil }
        radio.loop.executeNext(completion)
    }
}
#endif
