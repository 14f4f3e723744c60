import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Logging
import SystemBus

/// A link of `bluetoothd` to a device, with all its users in this program. Confined to the loop.
///
/// The link ends with its last user, unless another program established it: then it stays up.
final class BlueZLink: KernelLink {
    let id: PeripheralID
    let path: String
    /// Retained, because a share may outlive the adapter. The reference cycle ends with the link, at the latest when
    /// the adapter is closed.
    let radio: BlueZRadio
    /// True if another program established the link.
    let isForeign: Bool
    let pending: PendingOperations
    let queue = RequestQueue()
    private(set) var isUp = true
    private(set) var database = RemoteDatabase()
    private(set) var mtu = 23
    private(set) var security: LinkSecurity
    private let shares = LinkShares()
    private(set) lazy var subscriptions = SubscriptionRegistry { [weak self] request, completion in
        guard let source = self?.source(of: request.characteristic) else { return completion(.failure(.notConnected)) }
        source.turn(!request.kinds.isEmpty, completion)
    }
    private var sources: [AttributeID: ValueSource] = [:]
    /// The sources that send no values any more on a link that continues, until they are renewed or removed.
    private var interrupted: Set<AttributeID> = []
    private var writers: [AttributeID: AcquiredSocket] = [:]
    private var channels: [SocketChannel] = []
    private let resolving = WaitingCallers<Void>()
    private let endings = WaitingCallers<Void>()
    private var forgetsCache = false
    /// True while attributes change.
    private var isSettling = false
    /// The database before the change.
    private var settled = RemoteDatabase()
    private lazy var settling = loop.makeTimer { [weak self] in self?.settle() }
    private static let settlingTime = Duration.milliseconds(200)

    init(id: PeripheralID, path: String, isForeign: Bool, radio: BlueZRadio) {
        self.id = id
        self.path = path
        self.isForeign = isForeign
        self.radio = radio
        pending = PendingOperations(loop: radio.loop)
        security = radio.device(at: path)?.security ?? LinkSecurity()
        queue.onRoom = { [weak self] in self?.tell { $0.linkIsReadyToWriteWithoutResponse() } }
        if device?.areServicesResolved == true { readDatabase() }
        subscriptions.onLoss = { [weak self] id, _ in self?.renewalFailed(id) }
    }

    var loop: RadioLoop { radio.loop }
    /// The device, for log events.
    var metadata: Logger.Metadata { ["peer": "\(id.address.map { "\($0)" } ?? path)"] }
    var device: DeviceProperties? { radio.device(at: path) }

    // MARK: Users

    /// The users of the link's shares.
    var users: [RadioUser] { shares.users.compactMap { $0 } }

    func share(for user: RadioUser?) -> BlueZShare { shares.add(BlueZShare(self, user: user)) }

    var isInUse: Bool { shares.isInUse }
    var isShared: Bool { shares.isShared }

    func remove(_ share: ObjectIdentifier, completion: @escaping () -> Void) {
        guard shares.remove(share), isUp else { return completion() }
        // A link of another program: only this program stops using it.
        if isForeign {
            radio.forget(self)
            ended(.disconnected(.localHostTerminated))
            return completion()
        }
        endings.add(completion)
        disconnect()
    }

    func disconnect() {
        radio.pendingDisconnects.disconnect(path) { [weak self] in
            // BlueZ has already reported the end of the link, unless it knew of none, or has exited itself.
            guard let self, isUp else { return }
            radio.linkEnded(self, .disconnected(.localHostTerminated))
        }
    }

    func ended(_ error: RadioError) {
        guard isUp else { return }
        isUp = false
        for source in sources.values { source.linkEnded() }
        sources = [:]
        subscriptions.endAll()
        interrupted = []
        for writer in writers.values { writer.close() }
        writers = [:]
        for channel in channels { channel.linkEnded(error) }
        queue.clear()
        resolving.removeAll()
        settling.disarm()
        pending.failAll(error)
        tell { $0.linkDisconnected(error) }
        if forgetsCache { radio.removeDevice(path) }
        endings.resume()
    }

    func tell(_ body: (any LinkObserver) -> Void) { shares.tell(body) }

    // MARK: BlueZ

    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        timeout: Duration? = .seconds(40), completion: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        radio.client.call(path, interface, member, arguments, timeout: timeout, completion: completion)
    }

    func after(_ duration: Duration, _ body: @escaping () -> Void) {
        loop.makeTimer(body).arm(at: loop.now + duration)
    }

    func hasProperty(_ name: String, at path: String) -> Bool {
        radio.client.objects[path, BlueZ.gattCharacteristic]?[name] != nil
    }

    // MARK: Changes

    func changed(_ properties: [String: BusValue], of interface: String, at path: String) {
        switch interface {
        case BlueZ.device:
            if properties["ServicesResolved"]?.bool == true { servicesResolved() }
            if let name = properties["Name"]?.text { tell { $0.linkNameChanged(name) } }
            if let new = device?.security, new != security {
                security = new
                tell { $0.linkSecurityChanged(new) }
            }
        case BlueZ.battery:
            guard let level = properties["Percentage"]?.integer else { return }
            _ = [UInt8(clamping: level)].withByteView { subscriptions.received($0, of: RemoteDatabase.batteryLevel) }
        case BlueZ.gattCharacteristic:
            if let mtu = properties["MTU"]?.integer { noteMTU(mtu) }
            guard let handle = RemoteDatabase.handle(path) else { return }
            sources[AttributeID(rawValue: UInt32(handle) + 1)]?.changed(properties)
        default: break
        }
    }

    /// Handles objects that were added or removed after the device's services were resolved: the device changed them,
    /// or BlueZ builds them again. The change is evaluated once BlueZ, which reports object by object, reports no more.
    /// Until then the values of removed objects stop.
    func objectsChanged() {
        let isResolved = device?.areServicesResolved == true
        guard isResolved || !sources.isEmpty else { return }
        let new = RemoteDatabase(radio.client.objects, device: path)
        for (id, source) in sources.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where new.characteristics[id]?.path != source.path {
            interrupted.insert(id)
            source.objectRemoved()
        }
        guard isResolved else { return }
        beginSettling()
        for (id, characteristic) in database.characteristics.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where new.characteristics[id]?.path != characteristic.path {
            writers.removeValue(forKey: id)?.close()
        }
        database = new
    }

    /// Handles that BlueZ has resolved the services, for the first time or again.
    private func servicesResolved() {
        if isSettling || !interrupted.isEmpty { beginSettling() } else { readDatabase() }
    }

    private func beginSettling() {
        if !isSettling { settled = database }
        isSettling = true
        settling.arm(at: loop.now + Self.settlingTime)
    }

    private func settle() {
        // While the services are not resolved, the objects are incomplete.
        guard isUp, device?.areServicesResolved == true else { return }
        isSettling = false
        let old = settled
        settled = RemoteDatabase()
        readDatabase()
        let now = Set(database.services.map(\.record))
        var gone = old.services.map(\.record).filter { !now.contains($0) }.map(\.id)
        let isSame = gone.isEmpty && now.count == old.services.count && database.hasSameAttributes(as: old)
        let stopped = interrupted.sorted { $0.rawValue < $1.rawValue }
        interrupted = []
        for id in stopped where !canRenew(id) {
            sources.removeValue(forKey: id)?.remove()
            // The report of its service ends the streams of the characteristic.
            if let service = old.characteristics[id]?.service, !gone.contains(service) { gone.append(service) }
        }
        if !isSame || !gone.isEmpty { tell { $0.linkServicesChanged(gone) } }
        for id in stopped { sources[id]?.renew() }
    }

    /// Returns true if BlueZ has the object of a source again, and has not refused the subscription twice.
    private func canRenew(_ id: AttributeID) -> Bool {
        guard let source = sources[id] else { return false }
        return database.characteristics[id]?.path == source.path && source.refusals < 2
    }

    /// Handles that BlueZ refused to renew a subscription. It may be about to report changed attributes, or the end of
    /// the link, so the subscription is renewed once more after them.
    private func renewalFailed(_ id: AttributeID) {
        guard isUp, let source = sources[id] else { return }
        source.refusals += 1
        interrupted.insert(id)
        beginSettling()
    }

    private func readDatabase() {
        database = RemoteDatabase(radio.client.objects, device: path)
        for characteristic in database.characteristics.values { if let mtu = characteristic.mtu { noteMTU(mtu) } }
        resolving.resume()
    }

    func noteMTU(_ new: Int) {
        guard new > mtu else { return }
        mtu = new
        tell { $0.linkMTUChanged(new) }
    }

    /// Runs `body` once BlueZ has resolved the device's attributes. Where that never happens, the timeout of the
    /// operation ends it.
    func whenResolved(_ body: @escaping () -> Void) {
        if device?.areServicesResolved == true, !isSettling { return body() }
        let (log, loop, began) = (radio.log, loop, loop.now)
        if resolving.isEmpty { log.debug("waiting until BlueZ has discovered the attributes", metadata: metadata) }
        resolving.add { [metadata] in
            let seconds = ((loop.now - began) / .milliseconds(1)).rounded() / 1000
            log.debug("BlueZ has discovered the attributes after \(seconds) s", metadata: metadata)
            body()
        }
    }

    func forgetCache() { forgetsCache = !security.isBonded }

    // MARK: Values

    private func source(of id: AttributeID) -> ValueSource? {
        if let source = sources[id] { return source }
        guard isUp, let characteristic = database.characteristics[id] else { return nil }
        let source = ValueSource(
            link: self, id: id, path: characteristic.path, isAlwaysOn: id == RemoteDatabase.batteryLevel)
        sources[id] = source
        return source
    }

    func writer(for id: AttributeID) -> AcquiredSocket? { writers[id] }

    /// Keeps a socket for writes until the link ends or BlueZ closes it.
    func keep(_ descriptor: BusDescriptor, for id: AttributeID) -> AcquiredSocket? {
        let socket = AcquiredSocket(
            descriptor, loop: loop, receive: { _ in }, ended: { [weak self] in self?.writers[id] = nil })
        writers[id] = socket
        return socket
    }

    // MARK: RSSI

    /// Reads the RSSI from the kernel where this process may, else uses that of a scan.
    func readRSSI(_ operation: LinkOperation<Int>) {
        let heard = device?.rssi
        guard let address = device?.address, let index = radio.index else {
            return operation.complete(.failure(.notConnected))
        }
        let request = ConnectionInformationRequest(adapter: index, peer: address, loop: loop) {
            [weak operation] answer in
            switch (answer, heard) {
            case (.strength(let rssi), _), (_, let rssi?): operation?.complete(.success(rssi))
            case (.notConnected, nil): operation?.complete(.failure(.notConnected))
            case (.none, nil):
                let problem =
                    "neither the kernel nor BlueZ reports the signal strength of this link; use a scan"
                operation?.complete(.failure(.unsupported(problem)))
            case (.denied, nil):
                operation?.complete(
                    .failure(
                        .unsupported(
                            "the kernel reports the signal strength of a link only to programs with CAP_NET_ADMIN ("
                                + "'sudo setcap cap_net_admin+ep PROGRAM'), and BlueZ only that of scanned devices"
                        )
                    ))
            }
        }
        operation.onAbandon = { request.cancel() }
        request.start()
    }

    // MARK: Channels

    /// Opens an L2CAP channel with a socket of the kernel, on the link that BlueZ has established.
    func openChannel(_ psm: UInt16, _ operation: LinkOperation<any BackendChannel>) {
        guard (1...255).contains(psm) else {
            return operation.complete(.failure(.invalidArgument("PSM \(psm): a PSM must be from 1 to 255")))
        }
        guard let own = radio.adapter.address, let peer = device?.address else {
            return operation.complete(.failure(.notConnected))
        }
        let (id, loop) = (id, loop)
        do throws(L2CAPSocket.Failure) {
            let connection = try ChannelConnection(from: own, to: peer, psm: psm, loop: loop) {
                [weak self, weak operation] result in
                guard let operation, !operation.isOver else {
                    if case .success(let descriptor) = result { closeDescriptor(descriptor) }
                    return
                }
                operation.complete(
                    result.map { descriptor in
                        let channel = SocketChannel(
                            descriptor, psm: psm, peer: id, peerMTU: L2CAPSocket.peerMTU(descriptor), loop: loop)
                        self?.keep(channel)
                        return channel
                    })
            }
            // Retained by the operation, which releases it when it ends.
            operation.onAbandon = { connection.giveUp() }
        } catch {
            operation.complete(.failure(L2CAPSocket.meaning(of: error.code, psm: psm)))
        }
    }

    private func keep(_ channel: SocketChannel) {
        channels.append(channel)
        // Proof of `unowned`: only the channel stores and calls the closure.
        channel.onEnd = { [weak self, unowned channel] in self?.channels.removeAll { $0 === channel } }
    }
}
