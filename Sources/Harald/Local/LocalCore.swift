import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// The state that the objects of one local peripheral share.
final class LocalCore: Sendable {
    struct Handlers: Sendable {
        var read: CharacteristicDefinition.Reader?
        var write: CharacteristicDefinition.Writer?
    }

    let radio: AdapterSession
    let name: String
    let device: LoopBound<(any LocalDevice)?>
    let events = StreamHub<LocalPeripheral.Event>()
    let activities = StreamHub<LocalPeripheral.Activity>()
    private let responder: LoopBound<LocalResponder>
    let senders: LoopBound<UpdateSenders>
    /// Updates enqueued on the loop and not yet executed; more than ``postLimit`` are dropped.
    private let posted = Atomic<Int>(0)
    private static let postLimit = 1024
    /// Updates dropped because ``postLimit`` was reached.
    private let droppedUpdates = Atomic<Int>(0)
    /// The device's count of dropped values when it was closed.
    private let lastDroppedValues: LoopBound<Int>
    private let published = Mutex<[(uuid: BluetoothUUID, attribute: AttributeID, isPrimary: Bool)]>([])
    private let dropped = Mutex(0)
    private let channelHubs = Mutex<[StreamHub<L2CAPChannel>]>([])

    init(radio: AdapterSession, name: String) {
        self.radio = radio
        self.name = name
        device = LoopBound(nil, loop: radio.loop)
        responder = LoopBound(LocalResponder(), loop: radio.loop)
        senders = LoopBound(UpdateSenders(), loop: radio.loop)
        lastDroppedValues = LoopBound(0, loop: radio.loop)
    }

    var droppedWrites: Int { dropped.withLock { $0 } }
    /// Returns a hub of the channels that centrals open to one PSM; it finishes when the device closes.
    func makeChannelHub() -> StreamHub<L2CAPChannel> {
        let hub = StreamHub<L2CAPChannel>()
        channelHubs.withLock { $0.append(hub) }
        return hub
    }

    /// Pushes an event to the streams of events and to the streams of activities.
    func emit(_ event: LocalPeripheral.Event) {
        events.push(event)
        activities.push(.event(event))
    }

    func countDroppedWrite() { dropped.withLock { $0 += 1 } }

    /// Enqueues an update on the loop and returns at once.
    func post(_ value: [UInt8], of attribute: AttributeID, for centrals: [PeripheralID]?) {
        guard posted.add(1, ordering: .relaxed).newValue <= Self.postLimit else {
            posted.subtract(1, ordering: .relaxed)
            droppedUpdates.add(1, ordering: .relaxed)
            return
        }
        radio.loop.execute { [self] in
            posted.subtract(1, ordering: .relaxed)
            device.value?.update(value, of: attribute, for: centrals) { _ in }
        }
    }

    /// The number of values that subscribers missed.
    var droppedValues: Int {
        get async {
            let onDevice = await radio.loop.run { [self] in device.value?.droppedValues ?? lastDroppedValues.value }
            return onDevice + droppedUpdates.load(ordering: .relaxed)
        }
    }

    /// The default advertising data: the name and the primary services.
    var standardAdvertisement: AdvertisingData {
        let services = published.withLock { $0.filter(\.isPrimary).map(\.uuid) }
        return AdvertisingData(localName: name, serviceUUIDs: services, flags: .standard)
    }

    func makeDevice(
        _ configuration: LocalDeviceConfiguration, pairing: (any PairingDelegate)?
    ) async throws(BluetoothError) {
        let result: Result<Void, RadioError> = await radio.loop.run { [self] in
            Result { () throws(RadioError) in
                responder.value.core = self
                senders.value.onTruncation = { [activities] in
                    activities.push(.truncated($0, $1, length: $2, sent: $3))
                }
                let user = radio.user.value
                user.pairingHandler = pairing.map { PairingBridge(delegate: $0, loop: radio.loop) }
                device.value = try radio.backend.value.makeLocalDevice(
                    configuration, for: user, delegate: responder.value)
            }
        }
        if case .failure(let error) = result { throw BluetoothError(error, "create local peripheral '\(name)'") }
    }

    func perform<Value: Sendable>(
        _ what: @autoclosure () -> String,
        _ start: @escaping @Sendable (any LocalDevice, @escaping (Result<Value, RadioError>) -> Void) -> Void
    ) async throws(BluetoothError) -> Value {
        let device = device
        let result: Result<Value, RadioError> = await LoopOperation.run(on: radio.loop) { operation in
            guard let device = device.value else {
                return operation.complete(.failure(.radio(.unsupported, reason: "the local peripheral was closed")))
            }
            operation.onCancel { operation.complete(.failure(.cancelled)) }
            start(device) { operation.complete($0) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error): throw BluetoothError(error, "\(what()) on local peripheral '\(name)'")
        }
    }

    func publish(_ service: ServiceDefinition) async throws(BluetoothError) -> PublishedService {
        let (record, handlers, responder) = (service.record, service.handlers, responder)
        let placed: PlacedService = try await perform("publish service \(service.uuid)") { device, completion in
            completion(
                Result { () throws(RadioError) in
                    let placed = try device.add(record)
                    responder.value.add(handlers, at: placed)
                    return placed
                })
        }
        return note(service, placed)
    }

    /// Replaces the whole database.
    func replaceDatabase(
        _ services: [ServiceDefinition], addsGenericServices: Bool
    ) async throws(BluetoothError) -> [PublishedService] {
        let (records, handlers, responder) = (services.map(\.record), services.map(\.handlers), responder)
        let placed: [PlacedService] = try await perform("publish services") { device, completion in
            completion(
                Result { () throws(RadioError) in
                    let placed: [PlacedService]
                    do throws(LocalPlacementError) {
                        placed = try device.replaceDatabase(records, addsGenericServices: addsGenericServices)
                    } catch { throw error.reason }
                    responder.value.handlers = [:]
                    for (place, handlers) in zip(placed, handlers) { responder.value.add(handlers, at: place) }
                    return placed
                })
        }
        published.withLock { $0 = [] }
        return zip(services, placed).map { note($0, $1) }
    }

    private func note(_ service: ServiceDefinition, _ placed: PlacedService) -> PublishedService {
        published.withLock { $0.append((service.uuid, placed.id, service.isPrimary)) }
        let characteristics = zip(placed.characteristics, service.characteristics).map { place, definition in
            PublishedCharacteristic(core: self, uuid: definition.uuid, attribute: place.value)
        }
        return PublishedService(uuid: service.uuid, attribute: placed.id, characteristics: characteristics)
    }

    /// Removes a service. To be called on the loop.
    func unpublish(_ service: PublishedService) {
        device.value?.remove(service.attribute)
        for characteristic in service.characteristics { responder.value.handlers[characteristic.attribute] = nil }
        published.withLock { $0.removeAll { $0.attribute == service.attribute } }
    }

    /// Closes the device. To be called on the loop.
    func end(completion: @escaping () -> Void) {
        guard let last = device.value else { return radio.loop.executeNext(completion) }
        lastDroppedValues.value = last.droppedValues
        device.value = nil
        responder.value.end()
        senders.value.end(.radio(.unsupported, reason: "the local peripheral was closed"))
        events.finish()
        activities.finish()
        for hub in channelHubs.withLock({ $0 }) { hub.finish() }
        last.close(completion: completion)
    }
}

extension ServiceDefinition {
    fileprivate var handlers: [LocalCore.Handlers] {
        characteristics.map { LocalCore.Handlers(read: $0.onRead, write: $0.onWrite) }
    }
}

extension LocalResponder {
    /// Registers the handlers of a service's characteristics.
    fileprivate func add(_ handlers: [LocalCore.Handlers], at placed: PlacedService) {
        for (place, handlers) in zip(placed.characteristics, handlers) { self.handlers[place.value] = handlers }
    }
}
