import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// What the objects of one local peripheral share.
final class LocalCore: Sendable {
    struct Handlers: Sendable {
        var read: CharacteristicDefinition.Reader?
        var write: CharacteristicDefinition.Writer?
    }

    let radio: Radio
    let name: String
    let device: LoopBound<(any LocalDevice)?>
    let events = StreamHub<LocalPeripheral.Event>()
    private let responder: LoopBound<LocalResponder>
    private let published = Mutex<[(uuid: BluetoothUUID, attribute: AttributeID, isPrimary: Bool)]>([])
    private let dropped = Mutex(0)
    private let channelHubs = Mutex<[StreamHub<L2CAPChannel>]>([])

    init(radio: Radio, name: String) {
        self.radio = radio
        self.name = name
        device = LoopBound(nil, loop: radio.loop)
        responder = LoopBound(LocalResponder(), loop: radio.loop)
    }

    var droppedWrites: Int { dropped.withLock { $0 } }
    /// The channels that centrals open to one number, until the device is taken off the air.
    func makeChannelHub() -> StreamHub<L2CAPChannel> {
        let hub = StreamHub<L2CAPChannel>()
        channelHubs.withLock { $0.append(hub) }
        return hub
    }

    func countDroppedWrite() { dropped.withLock { $0 += 1 } }

    /// The name and the primary services.
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
                let made = try radio.backend.value.makeLocalDevice(configuration, delegate: responder.value)
                made.pairingHandler = pairing.map { PairingBridge(delegate: $0, loop: radio.loop) }
                device.value = made
            }
        }
        if case .failure(let error) = result { throw BluetoothError(error, "make local peripheral '\(name)'") }
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
        let record = LocalService(
            uuid: service.uuid, isPrimary: service.isPrimary, characteristics: service.characteristics.map(\.record),
            included: service.included.map(\.attribute), handle: service.handle)
        let handlers = service.characteristics.map { Handlers(read: $0.onRead, write: $0.onWrite) }
        let responder = responder
        let placed: PlacedService = try await perform("publish service \(service.uuid)") { device, completion in
            completion(
                Result { () throws(RadioError) in
                    let placed = try device.add(record)
                    for (place, handlers) in zip(placed.characteristics, handlers) {
                        responder.value.handlers[place.value] = handlers
                    }
                    return placed
                })
        }
        published.withLock { $0.append((service.uuid, placed.id, service.isPrimary)) }
        let characteristics = zip(placed.characteristics, service.characteristics).map { place, definition in
            PublishedCharacteristic(core: self, uuid: definition.uuid, attribute: place.value)
        }
        return PublishedService(uuid: service.uuid, attribute: placed.id, characteristics: characteristics)
    }

    /// On the loop.
    func unpublish(_ service: PublishedService) {
        device.value?.remove(service.attribute)
        for characteristic in service.characteristics { responder.value.handlers[characteristic.attribute] = nil }
        published.withLock { $0.removeAll { $0.attribute == service.attribute } }
    }

    /// On the loop: takes the device off the air.
    func end(completion: @escaping () -> Void) {
        guard let last = device.value else { return radio.loop.later(completion) }
        device.value = nil
        responder.value.end()
        events.finish()
        for hub in channelHubs.withLock({ $0 }) { hub.finish() }
        last.close(completion: completion)
    }
}
