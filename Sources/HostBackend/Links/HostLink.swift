import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime
import Logging

/// A link to a device, with all its users. It ends with the last of them, unless it belongs to a local device.
final class HostLink: KernelLink {
    private enum Preparation {
        case none
        case running(WaitingCallers<RadioError?>)
        case done
        /// The link cannot be used, and is ending.
        case failed(RadioError)
    }

    let id: PeripheralID
    let link: LELink
    let loop: RadioLoop
    let log: Logger
    /// Weak, because a user's share of the link may outlive the adapter.
    weak var radio: HostRadio?
    /// The local device that the peer connected to; nil if this side is the central.
    weak var localDevice: HostLocalDevice?
    /// The controller procedures, subscriptions and channels of all users. Their identifiers are above those of the
    /// stack's own operations.
    let pending: PendingOperations
    private(set) lazy var subscriptions = makeSubscriptions()
    /// The characteristics with subscriptions, by value handle.
    var subscribed: [UInt16: GATTCharacteristic] = [:]
    private let shares = LinkShares()
    private var lastNumber: UInt16 = 0
    private var preparation = Preparation.none
    private var isOver = false
    /// The frames of a raw link; nil for any other link.
    var frames: LinkFrames?
    /// The callers that wait for the link to be secured.
    var securing = SecuringUsers()
    /// The discovered services and characteristics, to look up attribute identifiers.
    private var services: [UInt16: GATTService] = [:]
    private var characteristics: [UInt16: GATTCharacteristic] = [:]

    init(_ link: LELink, id: PeripheralID, radio: HostRadio) {
        self.link = link
        self.id = id
        self.radio = radio
        loop = radio.loop
        log = radio.log
        pending = PendingOperations(loop: radio.loop, after: 1 << 63)
    }

    var gatt: GATTClient { link.l2cap.gatt }

    // MARK: Users

    /// True while the link is up and prepared, and can be shared with further users.
    var isUp: Bool {
        guard !isOver, link.isOpen else { return false }
        if case .done = preparation { return true }
        return false
    }

    /// True from the request to disconnect to the end of the link.
    var isEnding: Bool { !isOver && !link.isOpen }

    /// Calls `body` when the link has ended.
    func whenEnded(_ body: @escaping () -> Void) { endings.add(body) }

    var isInUse: Bool { shares.isInUse }

    /// True if the link continues after one of its users releases its share.
    var isShared: Bool { shares.isShared || localDevice != nil }

    /// The users of the link's shares; nil for no particular user.
    var users: [RadioUser?] { shares.users }

    func share(for user: RadioUser?) -> LinkShare { shares.add(LinkShare(self, number: freeNumber(), user: user)) }

    /// Returns the user of an existing share; nil also for no particular user.
    private func user(ofShare number: UInt16) -> RadioUser? {
        share(numbered: number)?.user
    }

    /// Returns a number from 1 to 32767 that no share has.
    private func freeNumber() -> UInt16 {
        repeat {
            lastNumber = lastNumber % 0x7FFF + 1
        } while share(numbered: lastNumber) != nil
        return lastNumber
    }

    private func share(numbered number: UInt16) -> (any CountedShare)? {
        shares.first { ($0 as? LinkShare)?.number == number }
    }

    /// Revokes the share of every user whose policy the link does not meet: such a user may have joined while a pairing
    /// for another one ran.
    private func enforcePolicies() {
        shares.forEach { share in
            if let error = (share.user?.policy ?? SecurityPolicy()).refusal(of: link.security) {
                (share as? LinkShare)?.revoke(error)
            }
        }
    }

    /// Removes a released share; completes when the link has ended, if it was the last.
    func remove(_ share: ObjectIdentifier, completion: @escaping () -> Void) {
        _ = shares.remove(share)
        drop(completion: completion)
    }

    /// Ends a link that cannot be used; completes when it has ended. A link of a local device continues.
    func drop(completion: @escaping () -> Void) {
        guard !isOver, !isInUse, localDevice == nil else { return completion() }
        endings.add(completion)
        disconnect()
    }

    private let endings = WaitingCallers<Void>()

    /// Ends an established link that has no share and no caller.
    func dropIfUnused() {
        if !isOver, !isInUse, localDevice == nil { disconnect() }
    }

    private func disconnect() {
        link.disconnect()
    }

    // MARK: Beginning and end

    /// Verifies the identity of a bonded device by encryption, exchanges the MTU and validates the cache; completes
    /// with nil when the link can be used. Until then nothing is requested of the device, and none of its packets is
    /// trusted.
    func prepare(completion: @escaping (RadioError?) -> Void) {
        switch preparation {
        case .done: completion(isOver ? .notConnected : nil)
        case .failed(let error): completion(isOver ? .notConnected : error)
        case .running(let waiting): waiting.add(completion)
        case .none:
            preparation = .running(WaitingCallers(completion))
            whenTrusted { [weak self] error in
                if let error { self?.finishPreparation(error) } else { self?.begin() }
            }
        }
    }

    /// Prepares the link of a central to a local device. A bonded central encrypts when it chooses to, and receives no
    /// request before.
    func prepareWhenProven() {
        guard case .none = preparation, !isUnproven else { return }
        prepare { _ in }
    }

    /// The error of a timeout while the link is being prepared: the step that the device has not answered.
    var unanswered: RadioError? {
        guard case .running = preparation, link.isOpen else { return nil }
        return .unanswered(gatt.unansweredRequest ?? "request to encrypt it")
    }

    private func begin() {
        guard case .running = preparation, !isOver else { return }
        if frames != nil { return finishPreparation(nil) }
        gatt.onValue = { [subscriptions] in subscriptions.received($0, of: AttributeID($1)) }
        let setup = GATTClientSetup(
            exchangesMTU: link.role == .central, cache: radio?.cache, peer: id, isBonded: link.security.isBonded)
        gatt.onMTUChange = { [weak self] mtu in self?.shares.tell { $0.linkMTUChanged(mtu) } }
        gatt.onDatabaseChange = { [weak self] change in self?.databaseChanged(change) }
        gatt.onReadyToWriteCommand = { [weak self] in self?.shares.tell { $0.linkIsReadyToWriteWithoutResponse() } }
        gatt.onSecurityDemand = { [weak self] error, number, completion in
            guard let self else { return completion(.failure(error)) }
            raiseSecurity(after: error, for: user(ofShare: number), completion)
        }
        gatt.onSecurityDemandAbandoned = { [weak self] in self?.pairingAbandoned() }
        gatt.start(setup) { [weak self] result in
            if case .failure(let error) = result {
                self?.finishPreparation(error)
            } else {
                self?.finishPreparation(nil)
            }
        }
    }

    private func finishPreparation(_ error: RadioError?) {
        guard case .running(let waiting) = preparation else { return }
        preparation = error.map { .failed($0) } ?? .done
        if let error {
            log.info("link cannot be used: \(error)", metadata: link.metadata)
        } else {
            log.debug("link is ready, MTU \(link.l2cap.att.mtu)", metadata: link.metadata)
        }
        waiting.resume(error)
    }

    func ended(_ error: RadioError) {
        isOver = true
        frames?.linkEnded(error)
        finishPreparation(error)
        subscriptions.endAll()
        pending.failAll(error)
        shares.tell { $0.linkDisconnected(error) }
        endings.resume()
    }

    // MARK: Changes

    func changed(_ change: LinkChange) {
        switch change {
        case .parameters: shares.tell { $0.linkParametersChanged(link.parameters) }
        case .security:
            let (security, bond) = (link.security, link.security.isBonded ? ", bonded" : "")
            log.debug(
                "security of the link: \(security.level), key of \(security.keySize) octets\(bond)",
                metadata: link.metadata)
            enforcePolicies()
            if let localDevice {
                prepareWhenProven()
                localDevice.securityChanged(on: self)
            }
            shares.tell { $0.linkSecurityChanged(link.security) }
        case .phy, .dataLength: break
        }
    }

    private func databaseChanged(_ change: GATTDatabaseChange) {
        let range: ClosedRange<UInt16>
        switch change {
        case .servicesChanged(let changed): range = changed
        case .outOfSync: range = 1...0xFFFF
        }
        let gone = services.values.filter { $0.range.overlaps(range) }
        for service in gone { services[service.handle] = nil }
        characteristics = characteristics.filter { !range.contains($0.key) }
        endSubscriptions(in: range)
        shares.tell { $0.linkServicesChanged(gone.map { AttributeID($0.handle) }.sorted { $0.rawValue < $1.rawValue }) }
    }

    func forgetCache() {
        gatt.forgetCache()
        services = [:]
        characteristics = [:]
    }

    // MARK: Attributes

    func note(_ found: [GATTService]) -> [RemoteService] {
        for service in found { services[service.handle] = service }
        return found.map { RemoteService(id: AttributeID($0.handle), uuid: $0.uuid, isPrimary: $0.isPrimary) }
    }

    func note(_ found: [GATTCharacteristic]) -> [RemoteCharacteristic] {
        for characteristic in found { characteristics[characteristic.valueHandle] = characteristic }
        return found.map {
            RemoteCharacteristic(id: AttributeID($0.valueHandle), uuid: $0.uuid, properties: $0.properties)
        }
    }

    func service(_ id: AttributeID) -> GATTService? { services[id.handle] }

    func characteristic(_ id: AttributeID) -> GATTCharacteristic? { characteristics[id.handle] }

    /// Returns true if one of the services was discovered on the device.
    func offers(_ wanted: [BluetoothUUID]) -> Bool {
        wanted.isEmpty || services.values.contains { wanted.contains($0.uuid) }
    }
}

extension AttributeID {
    /// Creates the identifier of the attribute with this handle.
    init(_ handle: UInt16) { self.init(rawValue: UInt32(handle)) }

    /// The handle, which is the identifier on this host stack.
    var handle: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}
