import BackendConformance
import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import VirtualTransport

@testable import Adapters

/// The peer of the scenarios on a virtual air: a local device on our own host stack.
final class VirtualPeer: ConformancePeer {
    /// The address of the device, which the backends that show addresses use to connect.
    static let address = BluetoothAddress(value: 0xC000_0000_0002, kind: .public)
    private static let adapter = "peripheral"

    let events = Events<PeerEvent>()
    private let radio: VirtualRadio
    private let lease: AdapterLease
    private let device: LoopBound<Device>

    init(on radio: VirtualRadio, registry: AdapterRegistry) async throws {
        self.radio = radio
        let source = radio.source(named: Self.adapter, configuration: .init(address: Self.address))
        lease = try await registry.open(source, options: AdapterOptions(storage: .none))
        try await lease.backend.waitUntilPoweredOn()
        let (backend, user, events) = (lease.backend, lease.user, events)
        device = try await radio.loop.run { () throws(RadioError) in
            user.value.pairingHandler = Device.acceptor
            return LoopBound(
                confined: try Device(backend.value, for: user.value, events), loop: backend.loop)
        }
        await setReachable(true)
    }

    private func run(_ body: @escaping @Sendable (Device) -> Void) async {
        await radio.loop.run { [device] in body(device.value) }
    }

    func setReachable(_ isReachable: Bool) async {
        let done = Events<Bool>()
        await run { $0.setAdvertising(isReachable) { done.append(true) } }
        _ = try? await done.wait(for: "advertising", count: 1)
    }

    func failEstablishments(_ count: Int) async {
        await radio.injectFaults(adapterNamed: Self.adapter) { $0.failedEstablishments = count }
    }

    /// Does nothing: the device advertises all the time.
    func advertise() async {}
    func disconnect() async { await run { $0.disconnectAll() } }
    func send(_ values: [[UInt8]], on attribute: PeerAttribute) async {
        await run { device in for value in values { device.send(value, on: attribute) } }
    }
    func answerHeldReads() async { await run { $0.answerHeldReads() } }
    func greetSubscriber(with value: [UInt8]) async { await run { $0.greeting = value } }

    func close() async {
        let done = Events<Bool>()
        await run { $0.local?.close { done.append(true) } }
        _ = try? await done.wait(for: "end of the device", count: 1)
        await lease.release()
    }
}

extension LoopBound where Value == any RadioBackend {
    /// Waits until the adapter is ready.
    func waitUntilPoweredOn() async throws {
        let watcher = RadioWatcher()
        let isOn = await loop.run { [self] in
            value.addObserver(watcher)
            return value.state == .poweredOn
        }
        if !isOn { try await watcher.events.wait(for: .state(.poweredOn)) }
        await loop.run { [self] in value.removeObserver(watcher) }
    }
}

/// The device of the air. Confined to the loop.
private final class Device: LocalDeviceDelegate {
    static var acceptor: any PairingHandler { Acceptor() }

    private(set) var local: (any LocalDevice)?
    var greeting: [UInt8]?
    private let events: Events<PeerEvent>
    private var attributes: [AttributeID: PeerAttribute] = [:]
    private var values: [AttributeID: [UInt8]] = [:]
    private var held: [LocalReadRequest] = []

    init(_ backend: any RadioBackend, for user: RadioUser, _ events: Events<PeerEvent>) throws(RadioError) {
        self.events = events
        let local = try backend.makeLocalDevice(LocalDeviceConfiguration(name: "Peer"), for: user, delegate: self)
        self.local = local
        let all = PeerAttribute.allCases
        let placed = try local.add(
            LocalService(
                uuid: PeerAttribute.service,
                characteristics: all.map { attribute in
                    LocalCharacteristic(
                        uuid: attribute.uuid, properties: attribute.properties,
                        permissions: attribute == .secret
                            ? [.readable, .readEncryptionRequired] : [.readable, .writeable],
                        value: attribute.value)
                }))
        for (attribute, characteristic) in zip(all, placed.characteristics) {
            attributes[characteristic.value] = attribute
            values[characteristic.value] = attribute.value
        }
        _ = try local.add(LocalService(uuid: PeerAttribute.emptyService, characteristics: []))
    }

    func setAdvertising(_ isOn: Bool, completion: @escaping () -> Void) {
        guard isOn else { return local?.stopAdvertising(completion: completion) ?? completion() }
        var data = AdvertisingData()
        data.serviceUUIDs = [PeerAttribute.service]
        local?.startAdvertising(AdvertisingRequest(data: data, interval: .milliseconds(20))) { _ in completion() }
    }

    func disconnectAll() { for central in local?.centrals ?? [] { try? local?.disconnect(central) } }

    func send(_ value: [UInt8], on attribute: PeerAttribute) {
        guard let id = attributes.first(where: { $0.value == attribute })?.key else { return }
        local?.update(value, of: id, for: nil) { _ in }
    }

    func answerHeldReads() {
        let all = held
        held = []
        for request in all { request.respond(.success([4])) }
    }

    func localDevice(connected central: PeripheralID) { events.append(.connected) }
    func localDevice(disconnected central: PeripheralID, _ error: RadioError) { events.append(.disconnected) }

    func localDevice(read request: LocalReadRequest) {
        guard attributes[request.attribute] == .held else { return request.respond(.failure(PeerAttribute.refusal)) }
        held.append(request)
        events.append(.asked)
    }

    func localDevice(write request: LocalWriteRequest) {
        for part in request.parts {
            guard let attribute = attributes[part.attribute], attribute != .refusing else {
                request.respond?(.failure(PeerAttribute.refusal))
                return
            }
            // A part at offset 0 starts a new value; the parts of a long write arrive in order.
            let begun = part.offset == 0 ? [] : (values[part.attribute] ?? []).prefix(part.offset)
            values[part.attribute] = begun + part.value
        }
        for id in Set(request.parts.map(\.attribute)) {
            guard let attribute = attributes[id], let value = values[id] else { continue }
            if attribute.properties.contains(.read) { local?.setValue(value, of: id) }
            events.append(.wrote(attribute, value))
        }
        request.respond?(.success(()))
    }

    func localDevice(subscribed central: PeripheralID, to characteristic: AttributeID, kind: SubscriptionKind) {
        guard let attribute = attributes[characteristic] else { return }
        events.append(.subscribed(attribute))
        if attribute == .notifying, let greeting { local?.update(greeting, of: characteristic, for: nil) { _ in } }
    }

    func localDevice(unsubscribed central: PeripheralID, from characteristic: AttributeID) {
        if let attribute = attributes[characteristic] { events.append(.unsubscribed(attribute)) }
    }

    func localDeviceIsReadyToUpdate() {}
    func localDevice(advertisingEnded error: RadioError) {}

    /// Accepts every question.
    private final class Acceptor: PairingHandler {
        let capability = PairingCapability.displayYesNo
        let passkey: UInt32? = nil
        let decidesAlone = true
        func pairing(
            with peripheral: PeripheralID, asks question: PairingQuestion, answer: @escaping (PairingAnswer) -> Void
        ) { answer(.accept) }
        func pairingQuestionWithdrawn(with peripheral: PeripheralID) {}
    }
}
