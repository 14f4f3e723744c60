import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a peripheral manager does on its adapter's loop: a device of one's own, with its services and its centrals.
///
/// `@unchecked Sendable`: as ``ManagerEngine``; `centrals` is behind ``PropertyLock``.
final class PeripheralEngine: ManagerEngine, @unchecked Sendable {
    /// More updates than this are not on their way to the loop; half of the queue that each subscriber has there, so that
    /// what was taken fits into it.
    private static let updateLimit = 32

    /// The manager; set before anybody else knows the engine.
    weak var manager: CBPeripheralManager?
    var centrals: [PeripheralID: CBCentral] = [:]
    /// Updates on their way to the loop.
    private let outstandingUpdates = Atomic<Int>(0)
    /// Whether the queue of a live subscriber is full, or about to be.
    private let isFull = Atomic<Bool>(false)
    /// The characteristic whose subscriber that is. On the loop.
    private var fullPlaces: [AttributeID: [PeripheralID]?] = [:]
    /// Whether somebody was told that there is no room for updates.
    private let waitsForRoom = Atomic<Bool>(false)

    // On the loop.
    private var device: (any LocalDevice)?
    private var services: [AttributeID: CBMutableService] = [:]
    var characteristics: [AttributeID: CBMutableCharacteristic] = [:]
    var subscriptions: [PeripheralID: Set<AttributeID>] = [:]
    /// What was published when the radio was switched off, in its order: it is again when the radio is on.
    private var interrupted: [CBMutableService] = []
    /// What is told after the new state, where there is one.
    private var ended: [() -> Void] = []
    private var restoration: PeripheralRestoration?

    // MARK: The manager's life

    override func prepare(_ backend: any RadioBackend) {
        guard let identifier = setup.restoreIdentifier, let directory = setup.directory else { return }
        let restoration = PeripheralRestoration(identifier: identifier, directory: directory)
        self.restoration = restoration
        guard let saved = restoration.load() else { return }
        mailbox.post { self.manager?.restore(saved) }
    }

    override func deliver(state: CBManagerState) { manager?.stateChanged(state) }

    override func stateChanged(_ state: RadioState) {
        tellEnded()
        guard state != .poweredOn else { return publishAgain() }
        device?.close {}
        device = nil
        subscriptions = [:]
        if state == .poweredOff { interrupt() } else { forgetAll() }
    }

    /// Where something ends because the radio goes off, the new state is told first, which is known within this turn of
    /// the loop; anything else that happens is told after it.
    func afterNewState(_ body: @escaping () -> Void) {
        if ended.isEmpty { loop?.later { [self] in tellEnded() } }
        ended.append(body)
    }

    func tellEnded() {
        let bodies = ended
        ended = []
        for body in bodies { mailbox.post(body) }
    }

    /// Switched off, the radio keeps what is published; only a state below that ends it. Programs that publish everything
    /// whenever the radio is on do so again: what they add takes the place of what was kept.
    private func interrupt() {
        interrupted += published
        for service in interrupted { service.isKept = true }
        services = [:]
        characteristics = [:]
        let waiting = interrupted
        mailbox.post { for service in waiting { self.manager?.forgetSubscribers(of: service) } }
    }

    private func publishAgain() {
        let waiting = interrupted
        interrupted = []
        for service in waiting {
            service.placed = nil
            // It could be published before, so it can be now.
            if let description = try? LocalService(service) { add(description, Transfer(service), isTold: false) }
        }
    }

    /// What is published, in the order in which it was.
    private var published: [CBMutableService] {
        services.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }

    override func end(completion: @escaping () -> Void) {
        restoration = nil
        guard let device else { return completion() }
        self.device = nil
        device.close(completion: completion)
    }

    /// The device of one's own, made when it is needed first.
    private func madeDevice() throws(RadioError) -> any LocalDevice {
        if let device { return device }
        guard let backend else { throw .radio(.unsupported, reason: "the adapter was closed") }
        user?.pairingHandler = ManagerPairing(setup.pairing, mailbox: mailbox, backend: backend)
        let made = try backend.makeLocalDevice(
            LocalDeviceConfiguration(name: Self.systemName), for: user, delegate: self)
        device = made
        return made
    }

    /// What the machine is called.
    private static let systemName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "Linux" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    // MARK: Services

    func add(_ description: LocalService, _ service: Transfer<CBMutableService>, isTold: Bool) {
        let object = service.value
        if isTold { dropKept(object) }
        do throws(RadioError) {
            let placed = try madeDevice().add(description)
            object.placed = placed.id
            services[placed.id] = object
            for (characteristic, place) in zip(object.characteristics ?? [], placed.characteristics) {
                guard let characteristic = characteristic as? CBMutableCharacteristic else { continue }
                characteristic.placed = place.value
                characteristics[place.value] = characteristic
            }
            rememberServices()
            if isTold { mailbox.post { self.manager?.added(object, nil) } }
        } catch {
            let failure = error.localFailure
            mailbox.post { self.manager?.added(object, failure) }
        }
    }

    /// The program publishes a service anew that was kept while the radio was switched off.
    private func dropKept(_ new: CBMutableService) {
        for (place, old) in services where old.isKept && (old === new || old.uuid == new.uuid) {
            remove(place)
            old.isKept = false
            old.placed = nil
            for case let value as CBMutableCharacteristic in old.characteristics ?? [] { value.placed = nil }
        }
    }

    func remove(_ place: AttributeID) {
        device?.remove(place)
        guard let service = services.removeValue(forKey: place) else { return }
        let values = service.characteristics ?? []
        let gone = Set(characteristics.filter { entry in values.contains { $0 === entry.value } }.keys)
        characteristics = characteristics.filter { !gone.contains($0.key) }
        for central in subscriptions.keys { subscriptions[central]?.subtract(gone) }
        rememberServices()
    }

    /// The services that were published.
    func removeAll() -> [CBMutableService] {
        for place in services.keys { device?.remove(place) }
        let gone = takeAll()
        rememberServices()
        return gone
    }

    private func takeAll() -> [CBMutableService] {
        defer {
            interrupted = []
            services = [:]
            characteristics = [:]
            subscriptions = [:]
        }
        return interrupted + published
    }

    private func forgetAll() {
        let gone = takeAll()
        mailbox.post { for service in gone { self.manager?.forget(service) } }
    }

    private func rememberServices() { restoration?.keep(services: published) }

    // MARK: Centrals

    func central(_ id: PeripheralID) -> CBCentral {
        PropertyLock.read {
            if let known = centrals[id] { return known }
            let central = CBCentral(id, engine: self)
            centrals[id] = central
            return central
        }
    }

    func forgetCentrals() { PropertyLock.replace([:]) { swap(&centrals, &$0) } }

    func maximumUpdateLength(for id: PeripheralID) -> Int {
        ask { [self] _ in device?.maximumUpdateLength(for: id) ?? 20 } ?? 20
    }

    // MARK: Updates

    /// From any thread: whether one more update may be handed over.
    func admitUpdate() -> Bool {
        let count = outstandingUpdates.add(1, ordering: .sequentiallyConsistent).newValue
        if count <= Self.updateLimit, !isFull.load(ordering: .sequentiallyConsistent) { return true }
        waitsForRoom.store(true, ordering: .sequentiallyConsistent)
        outstandingUpdates.subtract(1, ordering: .sequentiallyConsistent)
        // The loop looks once more, for what it waited for may have happened before it knew that somebody waits.
        execute { [self] in tellRoom() }
        return false
    }

    /// Each subscriber has a queue of its own. A stalled one drops its oldest values and holds up nobody; a live one that
    /// is full makes `updateValue` false.
    func update(_ bytes: [UInt8], of place: AttributeID, for receivers: [PeripheralID]?) {
        if let device {
            device.update(bytes, of: place, for: receivers) { _ in }
            if device.updateRoom(of: place, for: receivers, wanted: Self.updateLimit) < Self.updateLimit {
                fullPlaces[place] = .some(receivers)
                isFull.store(true, ordering: .sequentiallyConsistent)
            }
        }
        outstandingUpdates.subtract(1, ordering: .sequentiallyConsistent)
        tellRoom()
    }

    /// Tells whoever was refused that there is room, once there is.
    func tellRoom() {
        if !fullPlaces.isEmpty {
            fullPlaces = fullPlaces.filter { place, receivers in
                guard let device else { return false }
                return device.updateRoom(of: place, for: receivers, wanted: Self.updateLimit) < Self.updateLimit
            }
            guard fullPlaces.isEmpty else { return }
            isFull.store(false, ordering: .sequentiallyConsistent)
        }
        guard outstandingUpdates.load(ordering: .sequentiallyConsistent) < Self.updateLimit / 2,
            waitsForRoom.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        tellReady()
    }

    private func tellReady() {
        mailbox.post {
            guard let manager = self.manager else { return }
            manager.delegate?.peripheralManagerIsReady(toUpdateSubscribers: manager)
        }
    }

    // MARK: Advertising and links

    func startAdvertising(_ data: AdvertisingData) {
        let completion: (Result<Void, RadioError>) -> Void = { [self] result in
            switch result {
            case .success:
                restoration?.keep(advertisement: data)
                mailbox.post { self.manager?.advertisingStarted(nil) }
            case .failure(let error):
                afterNewState { self.manager?.advertisingStarted(error.localFailure) }
            }
        }
        do throws(RadioError) {
            try madeDevice().startAdvertising(AdvertisingRequest(data: data), completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    func stopAdvertising() {
        restoration?.keep(advertisement: nil)
        device?.stopAdvertising {}
    }

    func ask(_ latency: CBPeripheralManagerConnectionLatency, of central: PeripheralID) {
        let interval: ClosedRange<UInt16> =
            switch latency {
            case .low: 9...12
            case .high: 192...240
            case .medium: 48...60
            // A raw value without a name.
            @unknown default: 48...60
            }
        device?.updateParameters(
            ConnectionParametersRequest(intervalRange: interval, supervisionTimeout: 500), of: central
        ) { _ in }
    }

    // MARK: Channels

    func publishChannel(requiresEncryption: Bool) {
        do throws(RadioError) {
            try madeDevice().publishChannel(psm: nil, requiresEncryption: requiresEncryption) { [weak self] in
                self?.accepted($0)
            } completion: { [weak self] result in
                switch result {
                case .success(let psm): self?.tellPublished(psm, nil)
                case .failure(let error): self?.tellPublished(0, error.localFailure)
                }
            }
        } catch {
            tellPublished(0, error.localFailure)
        }
    }

    private func tellPublished(_ psm: CBL2CAPPSM, _ error: (any Error)?) {
        mailbox.post {
            guard let manager = self.manager else { return }
            manager.delegate?.peripheralManager(manager, didPublishL2CAPChannel: psm, error: error)
        }
    }

    func unpublishChannel(_ psm: CBL2CAPPSM) {
        device?.unpublishChannel(psm: psm)
        mailbox.post {
            guard let manager = self.manager else { return }
            manager.delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: psm, error: nil)
        }
    }

    private func accepted(_ channel: any BackendChannel) {
        guard let loop else { return channel.close() }
        let streams = ChannelStreams(channel, loop: loop)
        let (peer, psm) = (central(channel.peer), channel.psm)
        mailbox.post {
            guard let manager = self.manager else { return streams.close() }
            let object = CBL2CAPChannel(peer: peer, psm: psm, streams: streams)
            manager.delegate?.peripheralManager(manager, didOpen: object, error: nil)
        }
    }
}
