import Adapters
import BluetoothBackend
import BluetoothRuntime

/// A local device in the peripheral role: a name, an address and a GATT database, advertised for centrals to find.
///
///     let strap = try await LocalPeripheral(name: "Strap")
///     let service = try await strap.publish(ServiceDefinition("180D", [CharacteristicDefinition("2A37", .notify)]))
///     try await strap.advertise()
///     try await service["2A37"]?.update([0x00, 72])
///
/// Several local peripherals may share one adapter, each with its own identity. Advertising and links end when the last
/// reference is released.
public final class LocalPeripheral: Sendable {
    /// An event of a local peripheral.
    public enum Event: Hashable, Sendable {
        /// A central connected.
        case connected(PeripheralID)
        /// A central disconnected.
        case disconnected(PeripheralID, BluetoothError)
        /// The security of a central's link changed.
        case secured(PeripheralID, LinkSecurity)
        /// A central subscribed to a characteristic, or changed the kind of its subscription.
        case subscribed(PeripheralID, AttributeID, SubscriptionKind)
        /// A central unsubscribed.
        case unsubscribed(PeripheralID, AttributeID)
        /// Advertising ended without a request to stop.
        case advertisingEnded(BluetoothError)
        /// The fixed passkey is refused from now on, because three attempts on it failed;
        /// ``LocalPeripheral/allowPasskey()`` allows it again.
        case passkeyBlocked
    }

    let core: LocalCore

    /// Opens an adapter and creates a device on it, which is not advertised yet.
    /// - Parameters:
    ///   - adapter: the adapter; `auto` is the one that `HARALD_ADAPTER` names, else the first that this program may
    ///     use.
    ///   - name: the GAP name, which is also advertised.
    ///   - appearance: the GAP appearance.
    ///   - address: the address used in advertising and on links.
    ///   - pairing: answers the questions of pairings; without it, the oldest central of the adapter that has a
    ///     delegate does. Where there is none, centrals cannot pair.
    ///   - requiredSecurity: minimum security level, requested as soon as a central connects; centrals that do not
    ///     reach it are disconnected.
    ///   - options: the location of stored data, the security policy, and a capture file.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` for options or an address that cannot be applied,
    ///   `unsupported` if the adapter cannot have local peripherals, `radio` if the adapter cannot be powered on or
    ///   opened, or `cancelled`.
    public init(
        adapter: Adapter = .auto, name: String, appearance: Appearance = Appearance(rawValue: 0),
        address: OwnAddress = .automatic, pairing: (any PairingDelegate)? = nil,
        requiredSecurity: LinkSecurity.Level = .none, options: AdapterOptions = .init()
    ) async throws(BluetoothError) {
        let radio = try await AdapterSession.open(adapter, options: options)
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

    /// The loop of the adapter.
    package var loop: RadioLoop { core.radio.loop }
    /// The GAP name.
    public var name: String { core.name }
    /// The adapter's URI, address and summary.
    public var adapter: AdapterInfo { core.radio.info }
    /// The address used in advertising, if the platform shows it.
    public var address: BluetoothAddress? {
        get async {
            let core = core
            return await core.radio.loop.run { core.device.value?.address }
        }
    }
    /// Waits until the adapter is powered on.
    /// - Throws: ``BluetoothError`` as ``Central/waitUntilPoweredOn()`` does.
    package func waitUntilPoweredOn() async throws(BluetoothError) { try await core.radio.waitUntilPoweredOn() }

    /// The connected centrals.
    public var centrals: [PeripheralID] {
        get async {
            let core = core
            return await core.radio.loop.run { core.device.value?.centrals ?? [] }
        }
    }
    /// Returns the security of the link to a central; nil if it is not connected.
    public func security(of central: PeripheralID) async -> LinkSecurity? {
        let core = core
        return await core.radio.loop.run { core.device.value?.security(of: central) }
    }
    /// The devices that the adapter is bonded with.
    public var bonds: [BondedPeripheral] {
        get async {
            let radio = core.radio
            return await radio.loop.run { radio.backend.value.bonds }
        }
    }
    /// Forgets the bond with a central; a link encrypted with its keys ends.
    /// - Returns: true if there was a bond.
    @discardableResult
    public func forgetBond(_ central: PeripheralID) async -> Bool {
        let radio = core.radio
        return await radio.loop.run { radio.backend.value.forgetBond(central) }
    }
    /// A new stream for each access: the events from now on.
    public var events: BluetoothStream<Event> { core.events.stream(policy: .newest(1024)) }
    /// The number of writes without response dropped because the handler was too slow.
    public var droppedWrites: Int { core.droppedWrites }
    /// The number of values that subscribers missed because their queues were full, which are dropped notifications and
    /// indications that could not be queued, or because they did not know yet that the attributes had changed.
    public var droppedValues: Int { get async { await core.droppedValues } }

    /// Adds a service to the database; connected centrals that subscribed to Service Changed are notified.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the requested handles collide or an included
    ///   service does not exist, `limitReached` if no handle is left, `unsupported` if the platform cannot offer such a
    ///   service, `radio` after ``close()``, or `cancelled`.
    @discardableResult
    public func publish(_ service: ServiceDefinition) async throws(BluetoothError) -> PublishedService {
        try await core.publish(service)
    }

    /// Replaces the whole database. The services may include each other in any order; a service 1800 or 1801 among them
    /// takes the place of the stack's own. With `addsGenericServices` the missing ones of these two are added.
    /// - Returns: the services, in the order of the definitions.
    /// - Throws: ``BluetoothError`` as ``publish(_:)`` does.
    package func publish(
        _ services: [ServiceDefinition], addsGenericServices: Bool
    ) async throws(BluetoothError) -> [PublishedService] {
        try await core.replaceDatabase(services, addsGenericServices: addsGenericServices)
    }

    /// Removes a service from the database; connected centrals that subscribed to Service Changed are notified.
    public func unpublish(_ service: PublishedService) async {
        let core = core
        await core.radio.loop.run { core.unpublish(service) }
    }

    /// Starts advertising, which continues while centrals connect and disconnect. Returns when advertising is enabled.
    ///
    /// A later call replaces the advertisement. A call that has not returned by then may end with `cancelled`.
    /// - Parameters:
    ///   - data: the advertising data; nil for the name and the published primary services.
    ///   - scanResponse: the scan response data; nil for the fields that do not fit into `data`.
    ///   - interval: the advertising interval, 20 ms to 10.24 s.
    ///   - connectable: true to accept connections.
    /// - Throws: ``BluetoothError`` with the code `limitReached` if the data is too long or no advertising set is free,
    ///   `invalidArgument`, `controller` with the adapter's error, `radio` if the adapter is not ready or the device
    ///   was closed, or `cancelled`.
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

    /// Stops advertising; links stay.
    public func stopAdvertising() async {
        let core = core
        _ = await LoopOperation<Void>.runToTheEnd(on: core.radio.loop) { operation in
            guard let device = core.device.value else { return operation.complete(.success(())) }
            device.stopAdvertising { operation.complete(.success(())) }
        }
    }

    /// Ends the link to a central.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the platform leaves disconnecting to centrals,
    ///   `notConnected` if the central is not connected, `radio` after ``close()``, or `cancelled`.
    public func disconnect(_ central: PeripheralID) async throws(BluetoothError) {
        let core = core
        try await core.perform("disconnect \(central)") { device, completion in
            do throws(RadioError) { completion(.success(try device.disconnect(central))) } catch {
                completion(.failure(error))
            }
        }
    }

    /// Requests connection parameters from a central and returns those that are in use afterwards.
    /// - Throws: ``BluetoothError`` with the code `unsupported` if the platform does not allow it, `notConnected`,
    ///   `disconnected`, `timeout`, `radio` after ``close()``, `cancelled`, or an error of the request.
    @discardableResult
    public func updateConnectionParameters(
        _ request: ConnectionParametersRequest, of central: PeripheralID
    ) async throws(BluetoothError) -> ConnectionParameters {
        try await core.perform("update connection parameters") { device, completion in
            device.updateParameters(request, of: central, completion: completion)
        }
    }

    /// Accepts LE credit-based L2CAP channels.
    /// - Parameters:
    ///   - psm: the PSM to listen on, 0x80 to 0xFF; nil for the next free one.
    ///   - requiresEncryption: true to refuse channels on links that are not encrypted.
    /// - Returns: the PSM and the channels that centrals open.
    /// - Throws: ``BluetoothError`` with the code `invalidArgument` if the PSM is out of range or in use,
    ///   `limitReached` if all are in use, `unsupported` if the platform has no channels, `radio` if the adapter is not
    ///   ready or the device was closed, or `cancelled`.
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

    /// Stops advertising, ends the device's links and releases its lease of the adapter.
    public func close() async {
        let core = core
        _ = await LoopOperation<Void>.runToTheEnd(on: core.radio.loop) { operation in
            core.end { operation.complete(.success(())) }
        }
        await core.radio.close()
    }
}
