import BluetoothBackend
import BluetoothModel
import SystemBus

/// A characteristic of a remote device (`org.bluez.GattCharacteristic1`). Confined to the loop.
final class CharacteristicObject: ValueObject {
    /// The notifications of one client.
    private final class Session {
        let client: String
        /// The subscription on the link; nil while the device is not connected.
        var subscription: OperationID?
        /// True once the device has accepted the subscription.
        var isEstablished = false

        init(client: String) { self.client = client }
    }

    let found: FoundService.Characteristic
    let service: String
    let descriptors: [DescriptorObject]
    let device: DeviceLink
    private(set) var isNotifying = false
    private var sessions: [Session] = []
    /// The socket of the client that has acquired the values.
    var notifySocket: AcquiredNotifications?
    /// The socket of the client that has acquired writes.
    var writeSocket: AcquiredWrites?

    init(_ found: FoundService.Characteristic, service: ServiceObject) {
        self.found = found
        self.service = service.path
        device = service.device
        // The path has the handle of the declaration, which precedes the value.
        let path = service.path + "/char" + AttributeID(rawValue: found.id.rawValue &- 1).pathDigits
        descriptors = found.descriptors.map { DescriptorObject($0, characteristic: path, device: service.device) }
        super.init(path: path)
    }

    override var interfaces: [Interface] { [.gattCharacteristic] }

    override func clientLeft(_ client: String) {
        _ = endSession(of: client)
        if notifySocket?.client == client { releaseNotify() }
        if writeSocket?.client == client { releaseWrite() }
    }

    var hasSessions: Bool { !sessions.isEmpty }

    var canNotify: Bool { !found.properties.isDisjoint(with: [.notify, .indicate]) }

    // MARK: Values

    func read(_ call: BusCall) throws(BusError) -> Interface.Reply {
        try read(found.id, .gattCharacteristic, over: device, call)
    }

    func write(_ call: BusCall) throws(BusError) -> Interface.Reply {
        let link = try device.connected()
        if writeSocket != nil { throw .notPermitted("Write acquired") }
        let options = try ValueOptions(call.options(1))
        let value = call.arguments[0].bytes ?? []
        let kind =
            options.kind
            ?? (found.properties.contains(.write)
                ? .request
                : found.properties.contains(.writeWithoutResponse) ? .command : nil)
        guard let kind else { throw .notSupported }
        if kind != .command { return try write(value, to: found.id, at: options.offset, over: link, device, call) }
        if options.offset > 0 { throw .notSupported }
        if value.count > link.maximumWriteLength(withResponse: false) { throw .notSent }
        try device.inTurn(call) { [found, device] done in
            link.writeWithoutResponse(value, to: found.id, timeout: nil) { result in
                done()
                device.answer(call, result.map { [] })
            }
        }
        return .later
    }

    // MARK: Notifications

    func startNotify(_ call: BusCall) throws(BusError) -> Interface.Reply {
        if notifySocket != nil { throw .notPermitted("Notify acquired") }
        guard canNotify else { throw .notSupported }
        guard !sessions.contains(where: { $0.client == call.sender }) else { return .done }
        let session = Session(client: call.sender)
        sessions.append(session)
        // Without a link the client is subscribed as soon as there is one.
        guard let link = device.current else { return .done }
        subscribe(session, over: link) { [device] in device.answer(call, $0.map { [] }) }
        return .later
    }

    func stopNotify(_ call: BusCall) throws(BusError) -> Interface.Reply {
        if notifySocket != nil {
            releaseNotify()
            return .done
        }
        guard endSession(of: call.sender) else { throw .failed("No notify session started") }
        return .done
    }

    /// Subscribes for a client. The link counts the subscriptions of all clients as one.
    private func subscribe(
        _ session: Session, over link: any PeripheralLink, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        session.subscription = link.subscribe(found.id, kind: .any, timeout: nil) { [weak self, weak session] view in
            // Each value is announced once, for all clients.
            guard let self, let session, sessions.first === session else { return }
            received(view.array, .gattCharacteristic)
        } completion: { [weak self, weak session] result in
            session?.isEstablished = (try? result.get()) != nil
            if case .failure = result { self?.sessions.removeAll { $0 === session } }
            self?.updateNotifying()
            completion(result)
        }
    }

    private func endSession(of client: String) -> Bool {
        guard let index = sessions.firstIndex(where: { $0.client == client }) else { return false }
        let session = sessions.remove(at: index)
        if let subscription = session.subscription {
            device.current?.unsubscribe(subscription, timeout: nil) { _ in }
        }
        updateNotifying()
        return true
    }

    private func updateNotifying() {
        let isOn = sessions.contains(where: \.isEstablished)
        guard isOn != isNotifying else { return }
        isNotifying = isOn
        changed(.gattCharacteristic, ["Notifying"])
    }

    // MARK: The link

    /// Subscribes the clients that asked before the device was connected.
    func linkResolved() {
        changed(.gattCharacteristic, ["MTU"])
        guard let link = device.current else { return }
        for session in sessions where session.subscription == nil { subscribe(session, over: link) { _ in } }
    }

    func linkEnded() {
        // The client stays subscribed, and `Notifying` true: with the next link it receives values again.
        for session in sessions { session.subscription = nil }
        releaseNotify()
        releaseWrite()
    }
}
