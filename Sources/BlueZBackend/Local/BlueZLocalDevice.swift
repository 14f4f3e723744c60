import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// A local device through BlueZ: an application of its GATT server and an advertisement of its advertiser.
///
/// BlueZ has one identity and one GATT database per adapter, and reports only that some central subscribed, not which
/// one.
final class BlueZLocalDevice: LocalDevice {
    private enum Registration { case none, registering, registered }

    let application: LocalApplication
    /// Retained, because the owner of the device may keep it longer than the adapter. The reference cycle ends when
    /// either is closed.
    private let radio: BlueZRadio
    weak var delegate: (any LocalDeviceDelegate)?
    private var isClosed = false
    private var registration = Registration.none
    /// True if the database changed while BlueZ was reading it.
    private var isStale = false
    private let registering = WaitingCallers<Result<Void, RadioError>>()
    var isAdvertising = false
    /// The number of calls that stopped advertising. A registration that began before the last one is undone.
    private var advertisingStops = 0
    /// The centrals by the paths of their objects.
    private var connected: [String: PeripheralID] = [:]
    var notifying: Set<AttributeID> = []
    /// Indications that wait for their confirmation, which BlueZ reports.
    var indications: [AttributeID: [(Result<Void, RadioError>) -> Void]] = [:]
    /// Limit of pending indications of one characteristic.
    private static let indicationLimit = 64
    private(set) var droppedValues = 0
    var mtus: [PeripheralID: Int] = [:]
    private(set) lazy var channels = LocalChannels(radio: radio)
    /// The owner of the device.
    let user: RadioUser?

    private static func nextPath(_ used: [BlueZLocalDevice]) -> String {
        let (paths, start) = (Set(used.map(\.application.path)), "/org/harald/device")
        var number = 1
        while paths.contains("\(start)\(number)") { number += 1 }
        return "\(start)\(number)"
    }

    init(
        _ configuration: LocalDeviceConfiguration, radio: BlueZRadio, user: RadioUser?,
        delegate: any LocalDeviceDelegate
    ) throws(RadioError) {
        if case .randomStatic = configuration.address {
            throw .unsupported("BlueZ chooses the address; hci:N accepts a static random address")
        }
        guard configuration.requiredSecurity == .none else {
            throw .unsupported(
                "BlueZ can neither request security from each central nor report it: require it with the permissions "
                    + "of the attributes, or use hci:N")
        }
        self.radio = radio
        self.user = user
        self.delegate = delegate
        application = LocalApplication(path: Self.nextPath(radio.localDevices))
        application.onCall = { [weak self] call, attribute in self?.called(call, attribute) }
    }

    var address: BluetoothAddress? { radio.adapter.address }
    func security(of central: PeripheralID) -> LinkSecurity? {
        connected.first { $0.value == central }.flatMap { radio.device(at: $0.key)?.security }
    }

    // MARK: The database

    func add(_ service: LocalService) throws(RadioError) -> PlacedService {
        if let error = radio.unavailableError { throw error }
        let placed = application.add(service)
        databaseChanged()
        return placed
    }

    func remove(_ service: AttributeID) {
        application.remove(service)
        databaseChanged()
    }

    func setValue(_ value: [UInt8], of attribute: AttributeID) { application.setValue(value, of: attribute) }

    /// Registers the application again after a change, because BlueZ reads it once.
    private func databaseChanged() {
        switch registration {
        case .none: break
        case .registering: isStale = true
        case .registered:
            registration = .none
            manager(BlueZ.gattManager, "UnregisterApplication", [.path(application.path)]) { _ in }
            register { [radio] result in
                if case .failure(let error) = result { radio.log.error("BlueZ refused the services: \(error)") }
            }
        }
    }

    private func manager(
        _ interface: String, _ member: String, _ arguments: [BusValue],
        completion: @escaping (Result<[BusValue], BusError>) -> Void
    ) { radio.client.call(radio.path, interface, member, arguments, completion: completion) }

    private func register(completion: @escaping (Result<Void, RadioError>) -> Void) {
        switch registration {
        case .registered: return completion(.success(()))
        case .registering: return registering.add(completion)
        case .none where application.isEmpty: return completion(.success(()))
        case .none: break
        }
        registration = .registering
        isStale = false
        registering.add(completion)
        manager(BlueZ.gattManager, "RegisterApplication", [.path(application.path), .properties([:])]) {
            [weak self] result in
            guard let self, registration == .registering else { return }
            registration = if case .success = result { .registered } else { .none }
            if isStale, registration == .registered { return databaseChanged() }
            registering.resume(result.map { _ in }.mapError { $0.radioError() })
        }
    }

    // MARK: Advertising

    func startAdvertising(_ request: AdvertisingRequest, completion: @escaping (Result<Void, RadioError>) -> Void) {
        if let error = radio.unavailableError { return completion(.failure(error)) }
        let stops = advertisingStops
        register { [weak self] result in
            guard let self, !isClosed, stops == advertisingStops else { return completion(.failure(.cancelled)) }
            if case .failure(let error) = result { return completion(.failure(error)) }
            if isAdvertising { unregisterAdvertisement {} }
            application.advertisement = request.bluezProperties
            manager(
                BlueZ.advertisingManager, "RegisterAdvertisement",
                [.path(application.advertisementPath), .properties([:])]
            ) { [self] result in
                if case .success = result {
                    // Advertising was stopped, or the device closed, while BlueZ registered it.
                    guard !isClosed, stops == advertisingStops else {
                        return unregisterAdvertisement { completion(.failure(.cancelled)) }
                    }
                    isAdvertising = true
                }
                completion(result.map { _ in }.mapError { Self.meaning(of: $0) })
            }
        }
    }

    private static func meaning(of error: BusError) -> RadioError {
        switch error.kind {
        case "NotPermitted": .limit("the adapter has no free advertising instance (\(error.text))")
        case "InvalidLength": .invalidArgument("the advertising data exceeds 31 bytes")
        case "InvalidArguments": .invalidArgument("BlueZ refused this advertisement: \(error.text)")
        case "Failed":
            .limit("BlueZ cannot start this advertisement: \(error.text); is it too long, or the adapter busy?")
        default: error.radioError()
        }
    }

    private func unregisterAdvertisement(completion: @escaping () -> Void) {
        isAdvertising = false
        manager(BlueZ.advertisingManager, "UnregisterAdvertisement", [.path(application.advertisementPath)]) { _ in
            completion()
        }
    }

    func stopAdvertising(completion: @escaping () -> Void) {
        advertisingStops += 1
        guard isAdvertising else { return radio.loop.executeNext(completion) }
        unregisterAdvertisement(completion: completion)
    }

    /// Ends all registrations, because the adapter was powered off or `bluetoothd` exited.
    func radioWentOff(_ error: RadioError) {
        registration = .none
        registering.resume(.failure(error))
        for path in Array(connected.keys) { centralChanged(path, isConnected: false, error) }
        notifying = []
        endIndications()
        if isAdvertising {
            isAdvertising = false
            delegate?.localDevice(advertisingEnded: error)
        }
    }

    // MARK: Centrals

    /// Handles the connection or disconnection of a device that this program did not connect to: a central of the local
    /// device.
    func centralChanged(_ path: String, isConnected: Bool, _ error: RadioError = .disconnected(.unspecified)) {
        if isConnected {
            guard registration == .registered || isAdvertising, radio.links[path] == nil else { return }
            _ = central(at: path)
        } else if let id = connected.removeValue(forKey: path) {
            mtus[id] = nil
            channels.centralDisconnected(id, error)
            if connected.isEmpty { endSubscriptions(of: id) }
            delegate?.localDevice(disconnected: id, error)
        }
    }

    /// Returns the central of a request, and adds it if it was unknown.
    func central(at path: String) -> PeripheralID? {
        if let known = connected[path] { return known }
        guard let device = radio.device(at: path), device.isConnected, let id = device.id else { return nil }
        connected[path] = id
        delegate?.localDevice(connected: id)
        channels.centralConnected(id)
        return id
    }

    var centrals: [PeripheralID] { Array(connected.values) }

    func subscribers(of characteristic: AttributeID) -> [PeripheralID] {
        notifying.contains(characteristic) ? centrals : []
    }

    func maximumUpdateLength(for central: PeripheralID) -> Int { min((mtus[central] ?? 23) - 3, 512) }

    func disconnect(_ central: PeripheralID) {
        guard let path = connected.first(where: { $0.value == central })?.key else { return }
        radio.pendingDisconnects.disconnect(path)
    }

    private func endSubscriptions(of central: PeripheralID) {
        let ended = notifying
        notifying = []
        for id in ended { delegate?.localDevice(unsubscribed: central, from: id) }
        endIndications()
    }

    /// Fails the pending indications of one characteristic, or of all, which will not be confirmed.
    func endIndications(of characteristic: AttributeID? = nil) {
        let ended = indications.filter { characteristic == nil || $0.key == characteristic }
        for id in ended.keys { indications[id] = nil }
        for completion in ended.values.joined() { completion(.failure(.notConnected)) }
    }

    // MARK: Values

    var canUpdate: Bool { true }

    func update(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let path = application.path(of: characteristic), let attribute = application.attribute(characteristic)
        else {
            return completion(.failure(.att(.invalidHandle, handle: 0)))
        }
        if let centrals, !Set(subscribers(of: characteristic)).isSubset(of: centrals) {
            return completion(
                .failure(.unsupported("BlueZ sends values to all subscribers; hci:N can select some of them")))
        }
        application.setValue(value, of: characteristic)
        guard notifying.contains(characteristic) else { return completion(.success(())) }
        let flags = attribute.properties["Flags"]?.texts ?? []
        let isIndicated = flags.contains("indicate") && !flags.contains("notify")
        guard !isIndicated || (indications[characteristic]?.count ?? 0) < Self.indicationLimit else {
            droppedValues += 1
            return completion(
                .failure(
                    .limit("\(Self.indicationLimit) indications are queued for a subscriber that does not confirm")))
        }
        radio.client.bus.emit(
            path, BlueZ.properties, "PropertiesChanged",
            [.string(BlueZ.gattCharacteristic), .properties(["Value": .bytes(value)]), .strings([])])
        guard isIndicated else { return completion(.success(())) }
        indications[characteristic, default: []].append(completion)
    }

    /// Sends a value. BlueZ reports one outcome for all subscribers.
    func updateEach(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping ([PeripheralID: Result<Void, RadioError>]) -> Void
    ) {
        let receivers = subscribers(of: characteristic).filter { centrals?.contains($0) ?? true }
        update(value, of: characteristic, for: centrals) { result in
            completion(Dictionary(receivers.map { ($0, result) }) { first, _ in first })
        }
    }

    func updateParameters(
        _ request: ConnectionParametersRequest, of central: PeripheralID,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) { completion(.failure(.unsupported("BlueZ does not provide connection parameters over D-Bus; hci:N does"))) }

    /// Reports that the fixed passkey of the owner is refused from now on.
    func passkeyBlocked() { delegate?.localDevicePasskeyBlocked() }

    // MARK: The end

    func close(completion: @escaping () -> Void) {
        guard !isClosed else { return radio.loop.executeNext(completion) }
        isClosed = true
        delegate = nil
        channels.close()
        for path in connected.keys { radio.client.call(path, BlueZ.device, "Disconnect") { _ in } }
        if isAdvertising { unregisterAdvertisement {} }
        registering.resume(.failure(.cancelled))
        endIndications()
        let finish = { [self] in
            radio.localDevices.removeAll { $0 === self }
            radio.agent.handlerChanged()
            completion()
        }
        guard registration != .none, radio.client.isRunning else { return radio.loop.executeNext(finish) }
        registration = .none
        manager(BlueZ.gattManager, "UnregisterApplication", [.path(application.path)]) { _ in finish() }
    }
}
