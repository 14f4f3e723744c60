import BluetoothBackend
import BluetoothRuntime
import HostBackend

/// A device of our own: a name, an address, a GATT database, advertised for centrals to find.
///
///     let strap = try await LocalPeripheral(name: "Strap")
///     let service = try await strap.publish(ServiceDefinition("180D", [CharacteristicDefinition("2A37", .notify)]))
///     try await strap.advertise()
///     try await service["2A37"]?.update([0x00, 72])
///
/// Several of them may live on one adapter, each with its own identity. One that nobody holds any longer is taken off
/// the air.
public final class LocalPeripheral: Sendable {
    /// What happens to a local peripheral.
    public enum Event: Hashable, Sendable {
        /// A central connected.
        case connected(PeripheralID)
        /// A central disconnected.
        case disconnected(PeripheralID, BluetoothError)
        /// The protection of a central's link changed.
        case secured(PeripheralID, LinkSecurity)
        /// A central subscribed to a characteristic, or changed how.
        case subscribed(PeripheralID, AttributeID, SubscriptionKind)
        /// A central unsubscribed.
        case unsubscribed(PeripheralID, AttributeID)
        /// Advertising ended without being asked to.
        case advertisingEnded(BluetoothError)
        /// The fixed passkey is refused from now on, because three attempts on it failed;
        /// ``LocalPeripheral/allowPasskey()`` sets it anew.
        case passkeyBlocked
    }

    let core: LocalCore

    /// Opens an adapter and makes a device on it, not advertised yet.
    /// - Parameters:
    ///   - adapter: which; `auto` takes what `HARALD_ADAPTER` names, else the first that this program may use.
    ///   - name: the GAP name, which is also advertised.
    ///   - appearance: the GAP appearance.
    ///   - address: the address on the air.
    ///   - pairing: who answers questions about pairing; without, the oldest central of the adapter that has a delegate,
    ///     and where there is none, centrals cannot pair.
    ///   - requiredSecurity: what each central is asked for as soon as it is connected; one that does not give it is
    ///     sent away.
    ///   - options: where things are stored, and a capture file.
    public init(
        adapter: Adapter = .auto, name: String, appearance: Appearance = Appearance(rawValue: 0),
        address: OwnAddress = .automatic, pairing: (any PairingDelegate)? = nil,
        requiredSecurity: LinkSecurity.Level = .none, options: AdapterOptions = .init()
    ) async throws(BluetoothError) {
        let radio = try await Radio.open(adapter, options: options)
        core = LocalCore(radio: radio, name: name)
        do throws(BluetoothError) {
            try await radio.waitUntilPoweredOn()
            try await core.makeDevice(
                LocalDeviceConfiguration(
                    name: name, appearance: appearance, address: address, requiredSecurity: requiredSecurity),
                pairing: pairing)
        } catch {
            await radio.close()
            throw error
        }
    }

    deinit {
        let core = core
        core.radio.loop.execute { core.end {} }
    }

    /// The GAP name.
    public var name: String { core.name }
    /// What is known of the adapter.
    public var adapter: AdapterInfo { core.radio.info }
    /// The address on the air, where the platform shows it.
    public var address: BluetoothAddress? {
        get async {
            let core = core
            return await core.radio.loop.run { core.device.value?.address }
        }
    }
    /// Who is connected.
    public var centrals: [PeripheralID] {
        get async {
            let core = core
            return await core.radio.loop.run { core.device.value?.centrals ?? [] }
        }
    }
    /// How the link to a central is protected; nil where it is not connected.
    public func security(of central: PeripheralID) async -> LinkSecurity? {
        let core = core
        return await core.radio.loop.run { core.device.value?.security(of: central) }
    }
    /// The devices that the adapter shares keys with.
    public var bonds: [BondedPeripheral] {
        get async {
            let radio = core.radio
            return await radio.loop.run { radio.backend.value.bonds }
        }
    }
    /// Forgets the keys shared with a central; a link that they encrypt ends.
    /// - Returns: whether there were keys.
    @discardableResult
    public func forgetBond(_ central: PeripheralID) async -> Bool {
        let radio = core.radio
        return await radio.loop.run { radio.backend.value.forgetBond(central) }
    }
    /// A stream of its own each time: what happens from now on.
    public var events: BluetoothStream<Event> { core.events.stream(policy: .newest(1024)) }
    /// Writes without response that were dropped because the code that takes them was too slow.
    public var droppedWrites: Int { core.droppedWrites }
    /// Values that subscribers missed because their queues were full: dropped notifications, and indications that could
    /// not be queued.
    public var droppedValues: Int { get async { await core.droppedValues } }

    /// Adds a service to the database; connected centrals that asked for it are told.
    @discardableResult
    public func publish(_ service: ServiceDefinition) async throws(BluetoothError) -> PublishedService {
        try await core.publish(service)
    }

    /// Replaces the whole database: the services may include each other in any order, and 1800 and 1801 among them take
    /// the place of the stack's own. With `addsGenericServices` those that are missing are added.
    /// - Returns: the services, in the order of the definitions.
    package func publish(
        _ services: [ServiceDefinition], addsGenericServices: Bool
    ) async throws(BluetoothError) -> [PublishedService] {
        try await core.replaceDatabase(services, addsGenericServices: addsGenericServices)
    }

    /// Removes a service from the database; connected centrals that asked for it are told.
    public func unpublish(_ service: PublishedService) async {
        let core = core
        await core.radio.loop.run { core.unpublish(service) }
    }

    /// Starts to advertise, and goes on while centrals come and go; returns when it is on the air.
    /// - Parameters:
    ///   - data: what to say; nil for the name and the primary services that were published.
    ///   - scanResponse: what to answer to those who ask; nil for what does not fit into `data`.
    ///   - interval: time between two advertisements, 20 ms to 10.24 s.
    ///   - connectable: whether centrals may connect.
    public func advertise(
        _ data: AdvertisingData? = nil, scanResponse: AdvertisingData? = nil,
        interval: Duration = .milliseconds(100), connectable: Bool = true
    ) async throws(BluetoothError) {
        let core = core
        try await core.perform("advertise") { device, completion in
            device.startAdvertising(
                AdvertisingRequest(
                    data: data ?? core.standardAdvertisement, scanResponse: scanResponse, interval: interval,
                    isConnectable: connectable),
                completion: completion)
        }
    }

    /// Stops to advertise; links stay.
    public func stopAdvertising() async {
        let core = core
        _ = await LoopOperation<Void>.runToTheEnd(on: core.radio.loop) { operation in
            guard let device = core.device.value else { return operation.complete(.success(())) }
            device.stopAdvertising { operation.complete(.success(())) }
        }
    }

    /// Ends the link to a central; `unsupported` where the platform leaves that to centrals.
    public func disconnect(_ central: PeripheralID) async throws(BluetoothError) {
        let core = core
        try await core.perform("disconnect \(central)") { device, completion in
            do throws(RadioError) { completion(.success(try device.disconnect(central))) } catch {
                completion(.failure(error))
            }
        }
    }

    /// Asks a central for connection parameters and returns what the link now runs with.
    @discardableResult
    public func updateConnectionParameters(
        _ request: ConnectionParametersRequest, of central: PeripheralID
    ) async throws(BluetoothError) -> ConnectionParameters {
        try await core.perform("update connection parameters") { device, completion in
            device.updateParameters(request, of: central, completion: completion)
        }
    }

    /// Accepts L2CAP channels with credits.
    /// - Parameter psm: where to listen, 0x80 to 0xFF; nil for the next free number.
    /// - Returns: the number and the channels that centrals open.
    public func publishL2CAPChannel(
        psm: UInt16? = nil, requiresEncryption: Bool = false
    ) async throws(BluetoothError) -> (psm: UInt16, channels: BluetoothStream<L2CAPChannel>) {
        let core = core
        let hub = core.makeChannelHub()
        let stream = hub.stream(policy: .oldest(64))
        let number: UInt16 = try await core.perform("publish an L2CAP channel") { device, completion in
            device.publishChannel(psm: psm, requiresEncryption: requiresEncryption) { channel in
                hub.push(L2CAPChannel(channel, loop: core.radio.loop, owner: core))
            } completion: {
                completion($0)
            }
        }
        stream.buffer.onTermination {
            core.radio.loop.execute { core.device.value?.unpublishChannel(psm: number) }
        }
        return (number, stream)
    }

    /// Takes the device off the air, ends its links and gives the share in the adapter back.
    public func close() async {
        let core = core
        _ = await LoopOperation<Void>.runToTheEnd(on: core.radio.loop) { operation in
            core.end { operation.complete(.success(())) }
        }
        await core.radio.close()
    }
}
