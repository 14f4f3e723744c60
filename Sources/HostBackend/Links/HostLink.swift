import BluetoothBackend
import BluetoothHost
import BluetoothModel
import BluetoothRuntime

/// A link to a device, with all its users; it ends with the last of them, unless a local device of ours is on it.
final class HostLink {
    private enum Preparation {
        case none
        case running([(RadioError?) -> Void])
        case done
        /// The link cannot be used, and ends.
        case failed(RadioError)
    }

    let id: PeripheralID
    let link: LELink
    unowned let radio: HostRadio
    /// The device of ours that the peer connected to; nil where we are central.
    weak var localDevice: HostLocalDevice?
    /// Not owned: a share takes itself out when it is given up, at the latest when it goes.
    private var shares: [Unmanaged<LinkShare>] = []
    private var lastNumber: UInt16 = 0
    private var preparation = Preparation.none
    private var isOver = false
    /// Who waits for the link to be secured.
    var securing = SecuringUsers()
    /// What was discovered on this link, for what comes with an attribute's identifier alone.
    private var services: [UInt16: GATTService] = [:]
    private var characteristics: [UInt16: GATTCharacteristic] = [:]

    init(_ link: LELink, id: PeripheralID, radio: HostRadio) {
        self.link = link
        self.id = id
        self.radio = radio
    }

    var gatt: GATTClient { link.l2cap.gatt }
    var loop: RadioLoop { radio.loop }

    // MARK: Users

    /// Whether further users may take a share.
    var isUsable: Bool {
        guard !isOver else { return false }
        if case .done = preparation { return true }
        return false
    }

    var isInUse: Bool { !shares.isEmpty }

    /// Who shares the link; nil for nobody in particular.
    var users: [RadioUser?] { shares.map { $0.takeUnretainedValue().user } }

    func share(for user: RadioUser?) -> LinkShare {
        let share = LinkShare(self, number: freeNumber(), user: user)
        shares.append(.passUnretained(share))
        return share
    }

    /// The user of a share that still holds; nil also where it was nobody in particular.
    private func user(ofShare number: UInt16) -> RadioUser? {
        shares.lazy.map { $0.takeUnretainedValue() }.first { $0.number == number }?.user
    }

    /// A number from 1 to 32767 that no share has.
    private func freeNumber() -> UInt16 {
        repeat {
            lastNumber = lastNumber % 0x7FFF + 1
        } while shares.contains {
            $0.takeUnretainedValue().number == lastNumber
        }
        return lastNumber
    }

    /// Takes its share from every user whose policy the link does not meet. That happens where one joined while a
    /// pairing for another ran.
    private func enforcePolicies() {
        for share in shares {
            guard shares.contains(where: { $0.toOpaque() == share.toOpaque() }) else { continue }
            let share = share.takeUnretainedValue()
            if let error = (share.user?.policy ?? SecurityPolicy()).refusal(of: link.security) { share.revoke(error) }
        }
    }

    /// A share was given up; `completion` when the link has ended, where it was the last.
    func remove(_ share: Unmanaged<LinkShare>, completion: @escaping () -> Void) {
        shares.removeAll { $0.toOpaque() == share.toOpaque() }
        guard !isOver, !isInUse, localDevice == nil else { return completion() }
        endings.append(completion)
        disconnect()
    }

    /// Ends a link that cannot be used; `completion` when it has ended. A link that a device of ours is on goes on.
    func drop(completion: @escaping () -> Void) {
        guard !isOver, !isInUse, localDevice == nil else { return completion() }
        endings.append(completion)
        disconnect()
    }

    private var endings: [() -> Void] = []

    /// Ends a link that was established and that nobody waits for any more.
    func dropIfUnused() {
        if !isOver, !isInUse, localDevice == nil { disconnect() }
    }

    private func disconnect() {
        radio.setHostTime()
        link.disconnect()
    }

    // MARK: Beginning and end

    /// Has a bonded device prove that it is the one, agrees on the MTU and checks the cache; nil when the link can be
    /// used. Until then nothing is asked of the device, and nothing of what it says believed.
    func prepare(completion: @escaping (RadioError?) -> Void) {
        switch preparation {
        case .done: completion(isOver ? .notConnected : nil)
        case .failed(let error): completion(isOver ? .notConnected : error)
        case .running(let waiting): preparation = .running(waiting + [completion])
        case .none:
            preparation = .running([completion])
            whenTrusted { [weak self] error in
                if let error { self?.finishPreparation(error) } else { self?.begin() }
            }
        }
    }

    /// A central came to a device of ours; a bonded one encrypts when it likes, and is asked for nothing before.
    func prepareWhenProven() {
        guard case .none = preparation, !isUnproven else { return }
        prepare { _ in }
    }

    private func begin() {
        guard case .running = preparation, !isOver else { return }
        let setup = GATTClientSetup(
            exchangesMTU: link.role == .central, cache: radio.cache, peer: id, isBonded: link.security.isBonded)
        gatt.onMTUChange = { [weak self] mtu in self?.tell { $0.linkMTUChanged(mtu) } }
        gatt.onDatabaseChange = { [weak self] change in self?.databaseChanged(change) }
        gatt.onReadyToWriteCommand = { [weak self] in self?.tell { $0.linkIsReadyToWriteWithoutResponse() } }
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
        for completion in waiting { completion(error) }
    }

    func ended(_ error: RadioError) {
        isOver = true
        finishPreparation(error)
        tell { $0.linkDisconnected(error) }
        let waiting = endings
        endings = []
        for completion in waiting { completion() }
    }

    // MARK: Changes

    private func tell(_ body: (any LinkObserver) -> Void) {
        for share in shares {
            // Who hears it may give up a share, his own or another's.
            guard shares.contains(where: { $0.toOpaque() == share.toOpaque() }) else { continue }
            if let observer = share.takeUnretainedValue().observer { body(observer) }
        }
    }

    func changed(_ change: LinkChange) {
        switch change {
        case .parameters: tell { $0.linkParametersChanged(link.parameters) }
        case .security:
            enforcePolicies()
            if let localDevice {
                prepareWhenProven()
                localDevice.securityChanged(on: self)
            }
            tell { $0.linkSecurityChanged(link.security) }
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
        tell { $0.linkServicesChanged(gone.map { AttributeID($0.handle) }.sorted { $0.rawValue < $1.rawValue }) }
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

    /// Whether one of the services is known to be on the device.
    func offers(_ wanted: [BluetoothUUID]) -> Bool {
        wanted.isEmpty || services.values.contains { wanted.contains($0.uuid) }
    }
}

extension AttributeID {
    /// The attribute with this handle.
    init(_ handle: UInt16) { self.init(rawValue: UInt32(handle)) }

    /// The handle; on a host stack of our own an attribute is nothing else.
    var handle: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}
