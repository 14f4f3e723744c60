import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// A local device on the host stack: a GATT server, an advertising set, and the links to its centrals.
final class HostLocalDevice: LocalDevice {
    let server: GATTServer
    private var advertisingSet: AdvertisingSet
    private let channels = L2CAPServiceRegistry()
    /// Weak, because the owner of the device may keep it longer than the adapter.
    private weak var radio: HostRadio?
    private let loop: RadioLoop
    // A direct reference, which every value uses.
    private let host: LEHost
    private weak var delegate: (any LocalDeviceDelegate)?
    private var links: [PeripheralID: HostLink] = [:]
    private var identifiers: [ObjectIdentifier: PeripheralID] = [:]
    /// The requested advertising, until it is stopped.
    private var advertising: (parameters: AdvertisingParameters, payload: AdvertisingPayload)?
    private var isClosed = false
    private let requiredSecurity: LinkSecurity.Level
    /// The owner of the device.
    let user: RadioUser?

    init(
        _ configuration: LocalDeviceConfiguration, radio: HostRadio, user: RadioUser?,
        delegate: any LocalDeviceDelegate
    ) throws(RadioError) {
        self.radio = radio
        self.user = user
        host = radio.host
        loop = radio.loop
        self.delegate = delegate
        requiredSecurity = configuration.requiredSecurity
        server = GATTServer(
            GATTServerConfiguration(name: configuration.name, appearance: configuration.appearance))
        let address: LocalIdentity.Address
        switch configuration.address {
        case .public:
            guard radio.host.configuration.ownAddress == .public else {
                throw .invalidArgument(
                    "the adapter was opened with another address, so it cannot use its public address")
            }
            address = .adapter
        case .randomStatic(let own):
            guard own.randomKind == .staticAddress else {
                throw .invalidArgument("\(own) is not a static random address, whose first digit is C to F")
            }
            address = .staticRandom(own)
        case .automatic:
            address = radio.isAdapterAddressTaken ? .staticRandom(radio.madeUpAddress(configuration.name)) : .adapter
        }
        advertisingSet = try radio.host.makeAdvertiser(
            LocalIdentity(
                address: address, privacy: radio.privacy(of: address), server: server,
                linkConfiguration: L2CAPLinkConfiguration(services: channels)))
        server.delegate = self
        advertisingSet.onTerminated = { [weak self] termination in self?.terminated(termination) }
    }

    /// Creates a new advertising set where the controller lost its sets in a reset or while powered off.
    private func renewAdvertisingSet() throws(RadioError) {
        guard advertisingSet.isRemoved else { return }
        advertisingSet = try host.makeAdvertiser(advertisingSet.identity)
        advertisingSet.onTerminated = { [weak self] termination in self?.terminated(termination) }
    }

    var usesAdapterAddress: Bool { advertisingSet.identity.address == .adapter }
    var address: BluetoothAddress? { advertisingSet.address }
    /// The address that stays the same while private addresses change.
    var fixedAddress: BluetoothAddress? { advertisingSet.fixedAddress }

    // MARK: The database

    func add(_ service: LocalService) throws(RadioError) -> PlacedService {
        PlacedService(try server.add(GATTServiceDefinition(service)))
    }

    func replaceDatabase(
        _ services: [LocalService], addsGenericServices: Bool
    ) throws(LocalPlacementError) -> [PlacedService] {
        try server.replaceDatabase(services, addsGenericServices: addsGenericServices)
    }

    func remove(_ service: AttributeID) {
        server.remove(service.handle)
    }

    func setName(_ name: String) { server.name = name }

    func setValue(_ value: [UInt8], of attribute: AttributeID) { server.setValue(value, of: attribute.handle) }

    // MARK: Advertising

    func startAdvertising(_ request: AdvertisingRequest, completion: @escaping (Result<Void, RadioError>) -> Void) {
        let units = request.interval.wholeNanoseconds / 625_000
        guard (32...16384).contains(units) else {
            return completion(.failure(.invalidArgument("the advertising interval must be from 20 ms to 10.24 s")))
        }
        let parameters = AdvertisingParameters(
            intervalRange: UInt16(units)...UInt16(units), isConnectable: request.isConnectable)
        do {
            let payload = try payload(of: request)
            advertising = (parameters, payload)
            try renewAdvertisingSet()
            advertisingSet.start(
                parameters: parameters, data: payload.advertisingData, scanResponse: payload.scanResponse
            ) { [weak self] result in
                // A request that was cancelled was superseded by another one, or ended by a connection, after which
                // advertising continues.
                if case .failure(let error) = result, error != .cancelled { self?.advertising = nil }
                completion(result)
            }
        } catch {
            advertising = nil
            completion(.failure(error))
        }
    }

    /// Returns the payload: legacy packets where the data fits, because all scanners receive those; else extended ones.
    private func payload(of request: AdvertisingRequest) throws(RadioError) -> AdvertisingPayload {
        let limit = host.controller?.maximumAdvertisingDataLength ?? 31
        do throws(AdvertisingDataError) {
            if let scanResponse = request.scanResponse {
                return AdvertisingPayload(
                    advertisingData: try request.data.encoded(limit: limit),
                    scanResponse: try scanResponse.encoded(limit: limit))
            }
            do throws(AdvertisingDataError) {
                return try request.data.split(shortensName: false)
            } catch {
                guard limit > 31 else { return try request.data.split(shortensName: true) }
                return AdvertisingPayload(advertisingData: try request.data.encoded(limit: limit), scanResponse: [])
            }
        } catch {
            throw .invalidArgument("\(error)")
        }
    }

    func stopAdvertising(completion: @escaping () -> Void) {
        advertising = nil
        advertisingSet.stop { _ in completion() }
    }

    private func terminated(_ termination: AdvertisingTermination) {
        switch termination {
        case .connected, .timeout: continueAdvertising()
        case .failed(let error): advertisingFailed(error)
        }
    }

    private func continueAdvertising() {
        guard let (parameters, payload) = advertising else { return }
        advertisingSet.start(
            parameters: parameters, data: payload.advertisingData, scanResponse: payload.scanResponse
        ) { [weak self] result in
            if case .failure(let error) = result, error != .cancelled { self?.advertisingFailed(error) }
        }
    }

    private func advertisingFailed(_ error: RadioError) {
        // Some controllers cannot advertise while they have their maximum number of links: advertising resumes when one
        // ends.
        if case .controller = error, !links.isEmpty { return }
        advertising = nil
        delegate?.localDevice(advertisingEnded: error)
    }

    // MARK: Links

    func connected(_ link: HostLink) {
        guard !isClosed else { return link.link.disconnect() }
        // A central has one link to this device. Where its controller vanished and returned, the old link is dead, and
        // lasts until its supervision timeout.
        if let old = links[link.id] {
            disconnected(old, .disconnected(.connectionTimeout))
            old.link.disconnect()
        }
        link.localDevice = self
        links[link.id] = link
        identifiers[ObjectIdentifier(link.link.l2cap.serverSession)] = link.id
        link.prepareWhenProven()
        delegate?.localDevice(connected: link.id)
        requireSecurity(on: link)
    }

    /// Requests the security that every central has to reach.
    private func requireSecurity(on link: HostLink) {
        guard requiredSecurity > .none else { return }
        link.secure(to: requiredSecurity, asksConsent: true, for: user) { [weak self] result in
            guard let self, case .failure(let error) = result, links[link.id] === link else { return }
            radio?.log.notice("disconnecting a central below the required security level: \(error)")
            link.link.disconnect(reason: .authenticationFailure)
        }
    }

    func securityChanged(on link: HostLink) {
        guard links[link.id] === link else { return }
        delegate?.localDevice(security: link.link.security, of: link.id)
    }

    func passkeyBlocked() { delegate?.localDevicePasskeyBlocked() }

    func security(of central: PeripheralID) -> LinkSecurity? { links[central]?.link.security }

    func disconnected(_ link: HostLink, _ error: RadioError) {
        // A newer link of the same central may have replaced it.
        guard links[link.id] === link else { return }
        links[link.id] = nil
        identifiers[ObjectIdentifier(link.link.l2cap.serverSession)] = nil
        delegate?.localDevice(disconnected: link.id, error)
        // Updates no longer wait for this subscriber.
        delegate?.localDeviceIsReadyToUpdate()
        // A request that is not enabled yet is not replaced.
        if !advertisingSet.isRequested { continueAdvertising() }
    }

    private func central(_ session: GATTServerSession) -> PeripheralID? { identifiers[ObjectIdentifier(session)] }

    var centrals: [PeripheralID] { links.keys.sorted() }

    func subscribers(of characteristic: AttributeID) -> [PeripheralID] {
        server.subscribers(of: characteristic.handle).compactMap(central)
    }

    func maximumUpdateLength(for central: PeripheralID) -> Int {
        links[central]?.link.l2cap.serverSession.maximumUpdateLength ?? 20
    }

    func update(
        _ value: [UInt8], of characteristic: AttributeID, for centrals: [PeripheralID]?,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        server.setValue(value, of: characteristic.handle)
        let sessions = centrals.map { $0.compactMap { links[$0]?.link.l2cap.serverSession } }
        server.send(value, for: characteristic.handle, to: sessions, completion: completion)
    }

    var canUpdate: Bool { server.canNotify }

    func updateRoom(
        of characteristic: AttributeID, for centrals: [PeripheralID]?, wanted: Int, waitsForStalled: Bool
    ) -> Int {
        let sessions = centrals.map { $0.compactMap { links[$0]?.link.l2cap.serverSession } }
        return server.room(
            for: characteristic.handle, in: sessions, wanted: wanted, waitsForStalled: waitsForStalled)
    }

    var droppedValues: Int { server.droppedValues }

    func disconnect(_ central: PeripheralID) {
        links[central]?.link.disconnect(reason: .remoteUserTerminated)
    }

    func updateParameters(
        _ request: ConnectionParametersRequest, of central: PeripheralID,
        completion: @escaping (Result<ConnectionParameters, RadioError>) -> Void
    ) {
        guard let link = links[central] else { return completion(.failure(.notConnected)) }
        link.link.updateParameters(request, completion: completion)
    }

    // MARK: Channels

    func publishChannel(
        psm: UInt16?, requiresEncryption: Bool, accepted: @escaping (any BackendChannel) -> Void,
        completion: @escaping (Result<UInt16, RadioError>) -> Void
    ) {
        let result = Result { () throws(RadioError) in
            try channels.publish(psm: psm, requires: requiresEncryption ? .encrypted : .none) {
                [weak self] channel in
                guard let self, let session = channel.link?.serverSession, let id = central(session) else {
                    return channel.close()
                }
                accepted(HostChannel(channel, peer: id))
            }
        }
        completion(result)
    }

    func unpublishChannel(psm: UInt16) { channels.unpublish(psm: psm) }

    // MARK: The end

    func close(completion: @escaping () -> Void) {
        guard !isClosed else { return loop.executeNext(completion) }
        isClosed = true
        advertising = nil
        delegate = nil
        for central in centrals { links[central]?.link.disconnect(reason: .remoteUserTerminated) }
        advertisingSet.stop { [self] _ in
            advertisingSet.remove()
            radio?.localDevices.removeAll { $0 === self }
            completion()
        }
    }
}

extension HostLocalDevice: GATTServerDelegate {
    func server(_ server: GATTServer, received request: GATTReadRequest) {
        guard let delegate, let central = central(request.session) else {
            return request.respond(.failure(.readNotPermitted))
        }
        delegate.localDevice(
            read: LocalReadRequest(
                central: central, attribute: AttributeID(request.handle), offset: request.offset,
                respond: { request.respond($0) }))
    }

    func server(_ server: GATTServer, received request: GATTWriteRequest) {
        guard let delegate, let central = central(request.session) else {
            return request.respond(.failure(.writeNotPermitted))
        }
        let parts = request.writes.map {
            LocalWriteRequest.Part(attribute: AttributeID($0.handle), offset: $0.offset, value: $0.value)
        }
        delegate.localDevice(
            write: LocalWriteRequest(
                central: central, parts: parts,
                respond: { request.respond($0) }))
    }

    func server(
        _ server: GATTServer, received command: ByteView, for handle: UInt16, from session: GATTServerSession
    ) {
        guard let delegate, let central = central(session) else { return }
        let part = LocalWriteRequest.Part(attribute: AttributeID(handle), offset: 0, value: command.array)
        delegate.localDevice(write: LocalWriteRequest(central: central, parts: [part], respond: nil))
    }

    func server(
        _ server: GATTServer, _ session: GATTServerSession, changedSubscriptionTo valueHandle: UInt16,
        from old: GATTSubscription, to new: GATTSubscription
    ) {
        guard let delegate, let central = central(session) else { return }
        let characteristic = AttributeID(valueHandle)
        if new.isEmpty {
            delegate.localDevice(unsubscribed: central, from: characteristic)
        } else {
            let kind: SubscriptionKind = new == .indications ? .indications : .notifications
            delegate.localDevice(subscribed: central, to: characteristic, kind: kind)
        }
    }

    func server(_ server: GATTServer, isReadyToSendTo session: GATTServerSession) {
        delegate?.localDeviceIsReadyToUpdate()
    }
}
