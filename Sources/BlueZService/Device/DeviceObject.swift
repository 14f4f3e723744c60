import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// A remote device (`org.bluez.Device1`), its link and its attributes. Confined to the loop.
final class DeviceObject: ExportedObject {
    private enum Connection {
        case none
        /// An attempt without a timeout, for the profile of a client.
        case waiting(any BackendOperation)
        case connecting(any BackendOperation)
        case connected(any PeripheralLink)
        case releasing
    }

    /// The time after which an unused device is removed.
    static let temporaryTime = Duration.seconds(30)
    /// The time after which an attempt to connect fails.
    static let connectTime = Duration.seconds(20)
    /// The time before the device is connected again that ended a link for a reason of its own.
    private static let pause = Duration.seconds(10)

    let id: PeripheralID
    let address: BluetoothAddress
    let backend: any RadioBackend
    weak var adapter: AdapterObject?
    private(set) var advertised = AdvertisedProperties()
    /// The settings of clients.
    var settings = DeviceSettings.Values() {
        didSet {
            guard settings != oldValue else { return }
            if settings.isTrusted { isTemporary = false }
            storeServices()
            adapter?.settingsChanged(self)
            settle()
        }
    }
    private(set) var isConnected = false
    /// True if the keys of a pairing are in use or stored.
    private(set) var isPaired = false
    /// True if the keys of a pairing are stored.
    private(set) var isBonded = false
    /// The pairing that a client has requested.
    var pairing: Pairing?
    private(set) var areServicesResolved = false
    /// True for a device that is removed when it is not heard for a while.
    private(set) var isTemporary = true { didSet { settle() } }
    /// True once a client has removed the device: it is not told of the end of the bond.
    var isBeingRemoved = false
    /// True if the device was heard to accept connections.
    private(set) var isConnectable = false
    /// The services of the device, which remain after a link ended.
    private(set) var services: [ServiceObject] = []
    private var connection = Connection.none
    /// The number of the last attempt to connect: earlier ones were cancelled.
    private var attempts = 0
    /// True if the device is not connected automatically, until a client connects.
    private var isSuspended = false
    /// The local device that this one is connected to as a central.
    private weak var local: (any LocalDevice)?
    private var connecting: [(Result<Void, BusError>) -> Void] = []
    private var releasing: [() -> Void] = []
    private(set) lazy var battery = BatteryLevel(of: self)
    /// The operations of clients on attributes.
    private(set) lazy var turns = ClientTurns(loop: backend.loop)
    private lazy var timer = backend.loop.makeTimer { [weak self] in self?.expired() }

    init(_ id: PeripheralID, _ address: BluetoothAddress, adapter: AdapterObject) {
        self.id = id
        self.address = address
        self.adapter = adapter
        backend = adapter.backend
        super.init(path: adapter.path + "/dev_" + address.text.split(separator: ":").joined(separator: "_"))
    }

    override var interfaces: [Interface] { battery.percentage == nil ? [.device] : [.device, .battery] }

    /// The link; nil unless the device is connected.
    var link: (any PeripheralLink)? {
        if case .connected(let link) = connection { link } else { nil }
    }

    private func changed(_ properties: [String]) { changed(.device, properties) }

    /// Keeps a device that a client uses.
    func keep() { isTemporary = false }

    // MARK: Bonds

    /// Announces a change of the bond, and of the security of the link.
    /// - Parameter isComplete: true at the end of a pairing; before, a bond may follow the encryption, and both are
    ///   announced together.
    func updateBond(isComplete: Bool = false) {
        if isBeingRemoved { return }
        let bonded = backend.bonds.contains { $0.id == id }
        let security = link?.security ?? local?.security(of: id)
        let paired = bonded || security?.level ?? .none > .none
        if paired, !bonded, pairing != nil, !isComplete { return }
        let changes = (paired == isPaired ? [] : ["Paired"]) + (bonded == isBonded ? [] : ["Bonded"])
        (isPaired, isBonded) = (paired, bonded)
        if bonded { keep() }
        storeServices()
        changed(changes)
    }

    /// Stores the services of a device that is paired or trusted, so that a profile needs no discovery in a later run.
    private func storeServices() {
        if areServicesResolved, isBonded || settings.isTrusted { settings.services = uuids }
    }

    override func clientLeft(_ client: String) {
        if pairing?.call.sender == client { _ = try? cancelPairing() }
        turns.drop(client)
    }

    // MARK: Advertisements

    func heard(_ report: ScanReport, rssiDelta: Int16, repeats: Bool) {
        isConnectable = isConnectable || report.isConnectable
        let hadServices = !advertised.services.isEmpty
        var changes = advertised.hear(report, rssiDelta: rssiDelta, repeats: repeats)
        // The UUIDs of a connected device are those of its services.
        if areServicesResolved, hadServices { changes.removeAll { $0 == "UUIDs" } }
        changed(changes)
        if changes.contains("UUIDs") { settle() }
    }

    func discoveryEnded() { changed(advertised.discoveryEnded()) }

    /// Extends the life of a temporary device, which advertises.
    func seen() { if isTemporary { settle() } }

    // MARK: Without a link

    /// True if a client wants a link to the services of this device whenever it is in range (`GattProfile1`).
    private var isAutomatic: Bool {
        guard !isTemporary, !isSuspended, !isBeingRemoved, !settings.isBlocked, local == nil, address.isIdentity,
            let adapter, adapter.isPowered
        else { return false }
        return !adapter.role.profiles.isDisjoint(with: uuids)
    }

    /// Begins or ends what happens to a device without a link: the removal of a temporary one after a while, and
    /// the automatic connection of another. To be called after each change of what that depends on.
    func settle(after pause: Duration? = nil) {
        timer.disarm()
        if case .waiting(let attempt) = connection, !isAutomatic { cancel(attempt) }
        guard local == nil, case .none = connection else { return }
        if isTemporary {
            timer.arm(at: backend.loop.now + Self.temporaryTime)
        } else if isAutomatic {
            if let pause { return timer.arm(at: backend.loop.now + pause) }
            connection = .waiting(attempt(timeout: nil))
        }
    }

    private func expired() {
        if !isTemporary { return settle() }
        guard local == nil, case .none = connection else { return }
        adapter?.remove(self)
    }

    /// A client has ended the link: it is not established again automatically, unless the client trusts the device.
    func suspend() {
        isSuspended = !settings.isTrusted
        settle()
    }

    // MARK: Connecting

    /// Connects; completes when the link is established.
    func connect(completion: @escaping (Result<Void, BusError>) -> Void) {
        switch connection {
        case .connected: return completion(.success(()))
        case .connecting: return connecting.append(completion)
        case .releasing: return completion(.failure(.inProgress))
        case .waiting(let attempt): cancel(attempt)
        case .none: break
        }
        connecting.append(completion)
        connection = .connecting(attempt(timeout: Self.connectTime))
        isSuspended = false
        timer.disarm()
        keep()
    }

    private func attempt(timeout: Duration?) -> any BackendOperation {
        attempts += 1
        let number = attempts
        return backend.connect(id, ConnectRequest(timeout: timeout), for: adapter?.user) { [weak self] result in
            guard let self, number == attempts else {
                if case .success(let link) = result { link.release {} }
                return
            }
            connected(result)
        }
    }

    private func cancel(_ attempt: any BackendOperation) {
        attempts += 1
        connection = .none
        attempt.cancel()
    }

    private func connected(_ result: Result<any PeripheralLink, RadioError>) {
        switch result {
        case .success(let link):
            connection = .connected(link)
            link.observer = self
            setConnected(true)
            complete(.success(()))
            resolveServices()
        case .failure(let error):
            connection = .none
            complete(.failure(.connecting(error)))
            settle(after: Self.pause)
        }
    }

    private func complete(_ result: Result<Void, BusError>) {
        let waiting = connecting
        connecting = []
        for completion in waiting { completion(result) }
    }

    /// Ends the link or the attempt to connect; completes when that is done.
    func disconnect(completion: @escaping () -> Void) {
        switch connection {
        case .none, .waiting:
            guard let local, (try? local.disconnect(id)) != nil else { return completion() }
            releasing.append(completion)
        case .releasing: releasing.append(completion)
        case .connecting(let attempt):
            cancel(attempt)
            complete(.failure(.failed("br-connection-canceled")))
            settle()
            completion()
        case .connected(let link):
            releasing.append(completion)
            connection = .releasing
            link.observer = nil
            link.release { [weak self] in self?.ended() }
        }
    }

    /// - Parameter error: the reason; nil if this side ended the link.
    private func ended(_ error: RadioError? = nil) {
        connection = .none
        for service in services { service.linkEnded() }
        battery.linkEnded()
        if areServicesResolved {
            areServicesResolved = false
            changed(["ServicesResolved"])
        }
        if let local, !releasing.isEmpty, (try? local.disconnect(id)) != nil { return }
        linkEnded(error)
    }

    private func linkEnded(_ error: RadioError? = nil) {
        // `bluetoothd` answers `Disconnect` before it announces the end.
        let waiting = releasing
        releasing = []
        for completion in waiting { completion() }
        updateBond()
        setConnected(local != nil, error)
        settle(after: DisconnectReason(error).isExpected ? nil : Self.pause)
    }

    private func setConnected(_ isNow: Bool, _ error: RadioError? = nil) {
        guard isNow != isConnected else { return }
        isConnected = isNow
        // `bluetoothd` announces the reason first.
        if !isNow { tree?.emit(self, .device, "Disconnected", DisconnectReason(error).arguments) }
        changed(["Connected"])
    }

    // MARK: The peripheral role

    /// The device has connected to this adapter.
    func connected(asCentralOf local: any LocalDevice) {
        self.local = local
        settle()
        setConnected(true)
        updateBond()
        if settings.isBlocked { disconnect {} }
    }

    /// The link that the device established has ended.
    func centralDisconnected(_ error: RadioError) {
        local = nil
        if case .none = connection { linkEnded(error) }
    }

    /// Ends everything, because the device or the service ends.
    func end() {
        isSuspended = true
        switch connection {
        case .none, .releasing: break
        case .waiting(let attempt), .connecting(let attempt): cancel(attempt)
        case .connected(let link):
            link.observer = nil
            link.release {}
        }
        complete(.failure(.failed("br-connection-canceled")))
        local = nil
        ended()
        timer.disarm()
        replaceServices(with: [])
    }

    // MARK: Services

    private func resolveServices() {
        guard let link else { return }
        AttributeDiscovery.run(over: link) { [weak self] result in
            guard let self, case .connected(let current) = connection, current === link else { return }
            switch result {
            case .success(let found): resolved(found)
            // A link without services is of no use.
            case .failure: disconnect {}
            }
        }
    }

    private func resolved(_ found: [FoundService]) {
        if services.map(\.found) != found {
            replaceServices(with: found.map { ServiceObject($0, device: self) })
        }
        for service in services { service.linkResolved() }
        areServicesResolved = true
        storeServices()
        changed(["UUIDs", "ServicesResolved"])
        guard let link else { return }
        readProperties(in: found, over: link)
        battery.follow(found, over: link)
    }

    /// Reads the appearance, and the identification of the vendor, which are properties of the device.
    private func readProperties(in found: [FoundService], over link: any PeripheralLink) {
        let properties: [(service: BluetoothUUID, value: BluetoothUUID, hear: (ByteView) -> [String])] = [
            (0x1800, 0x2A01, { [weak self] in self?.advertised.setAppearance($0) ?? [] }),
            (0x180A, 0x2A50, { [weak self] in self?.advertised.setIdentification($0) ?? [] }),
        ]
        for property in properties {
            let service = found.first { $0.uuid == property.service }
            guard let value = service?.characteristics.first(where: { $0.uuid == property.value }) else { continue }
            link.read(value.id, timeout: nil) { [weak self] result in
                if case .success(let view) = result { self?.changed(property.hear(view)) }
            }
        }
    }

    private func replaceServices(with new: [ServiceObject]) {
        for service in services { service.withdraw() }
        services = new
        for service in services { service.export(in: tree) }
    }

    /// The UUIDs of the services; while those are not known, those of an earlier run, or the advertised ones.
    var uuids: [BluetoothUUID] {
        let known = services.isEmpty ? settings.services ?? advertised.services : services.map(\.found.uuid)
        return Set(known).sorted()
    }
}

extension DeviceObject: LinkObserver {
    func linkDisconnected(_ error: RadioError) {
        guard case .connected = connection else { return }
        // Clients learn the reason before the end.
        if case .radio = error { adapter?.powerChanged() }
        ended(error)
    }

    func linkServicesChanged(_ services: [AttributeID]) { resolveServices() }
    func linkNameChanged(_ name: String) { changed(advertised.setName(name)) }
    func linkMTUChanged(_ mtu: Int) { for service in services { service.mtuChanged() } }
    func linkParametersChanged(_ parameters: ConnectionParameters) {}
    func linkSecurityChanged(_ security: LinkSecurity) { updateBond() }
    func linkIsReadyToWriteWithoutResponse() {}
}
