import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The part of a peripheral manager that runs on its adapter's loop: the local device, with its services and its
/// centrals.
///
/// Proof of `@unchecked Sendable`: `manager` is set before the engine is shared with another thread; `centrals` is
/// guarded by ``PropertyLock``; `updates` is called from other threads only where it allows that; all other mutable
/// state is accessed on the loop only.
final class PeripheralEngine: ManagerEngine, @unchecked Sendable {
    /// The manager; set before the engine is shared with another thread.
    weak var manager: CBPeripheralManager?
    var centrals: [PeripheralID: CBCentral] = [:]
    private let updates = UpdateAdmission()

    // Confined to the loop.
    private var device: (any LocalDevice)?
    private var services: [AttributeID: CBMutableService] = [:]
    var characteristics: [AttributeID: CBMutableCharacteristic] = [:]
    var subscriptions: [PeripheralID: Set<AttributeID>] = [:]
    /// The services that were published when the adapter was powered off, in order: they are published again when it is
    /// powered on.
    private var interrupted: [CBMutableService] = []
    /// Deliveries that follow the new state, if there is one.
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

    /// Delivers `body` on the queue after a state change that is known within this turn of the loop: where something
    /// ends because the adapter is powered off, the new state is reported first. All other events are reported after
    /// `body`.
    func afterNewState(_ body: @escaping () -> Void) {
        // After the manager was released nothing is delivered, and pending deliveries would retain this object.
        guard let loop else { return }
        if ended.isEmpty { loop.executeNext { [self] in tellEnded() } }
        ended.append(body)
    }

    func tellEnded() {
        let bodies = ended
        ended = []
        for body in bodies { mailbox.post(body) }
    }

    /// Keeps the published services while the adapter is powered off; only another state ends them. Programs that
    /// publish all services whenever the adapter is powered on do so again: those replace the kept ones.
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
            add(service, isTold: false)
        }
    }

    /// The published services, in the order of publication.
    private var published: [CBMutableService] {
        services.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }

    override func end(completion: @escaping () -> Void) {
        restoration = nil
        guard let device else { return completion() }
        self.device = nil
        device.close(completion: completion)
    }

    /// Returns the local device, and creates it on first use.
    private func madeDevice() throws(RadioError) -> any LocalDevice {
        if let device { return device }
        guard let backend else { throw .radio(.unsupported, reason: "the adapter was closed") }
        user?.pairingHandler = ManagerPairing(setup.pairing, mailbox: mailbox, backend: backend)
        let made = try backend.makeLocalDevice(
            LocalDeviceConfiguration(name: Self.systemName), for: user, delegate: self)
        device = made
        return made
    }

    /// The host name.
    private static let systemName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "Linux" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    // MARK: Services

    func add(_ object: CBMutableService, isTold: Bool) {
        let description: LocalService
        do throws(LocalService.Flaw) { description = try LocalService(object) } catch {
            Misuse.report("add(_:): \(error.reason)")
            let failure = CBError.make(error.code, error.reason)
            return mailbox.post { self.manager?.added(object, failure) }
        }
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

    /// Removes a kept service which the program publishes again after the adapter was powered off.
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

    /// Removes all services and returns them.
    func removeAll() -> [CBMutableService] {
        for place in services.keys.sorted(by: { $0.rawValue < $1.rawValue }) { device?.remove(place) }
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

    /// Returns true if one more update may be enqueued; callable from any thread.
    func admitUpdate() -> Bool {
        if updates.admit() { return true }
        execute { [self] in tellRoom() }
        return false
    }

    /// Passes an admitted update to the device.
    func update(_ bytes: [UInt8], of place: AttributeID, for receivers: [PeripheralID]?) {
        updates.send(bytes, of: place, for: receivers, on: device)
        tellRoom()
    }

    /// Reports room to the delegate after a refused update, once there is room.
    func tellRoom() {
        guard updates.hasRoomAgain(on: device) else { return }
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
            // A raw value without a name counts as medium.
            @unknown default: 48...60
            }
        device?.updateParameters(
            ConnectionParametersRequest(intervalUnits: interval, timeoutUnits: 500), of: central
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
        let isPosted = mailbox.postWithinLimit(
            .call {
                guard let manager = self.manager else { return streams.close() }
                let object = CBL2CAPChannel(peer: peer, psm: psm, streams: streams)
                manager.delegate?.peripheralManager(manager, didOpen: object, error: nil)
            })
        if !isPosted { streams.close() }
    }
}
