import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// A connection with all its shares. Confined to the loop.
///
/// CoreBluetooth's callbacks do not identify the request, and those of one kind arrive in the order of the requests: so
/// requests wait in a queue per kind, and a callback belongs to the first. A cancelled request stays in the queue.
final class AppleLink: KernelLink {
    /// The kinds of requests; the callbacks of one kind arrive in the order of the requests.
    enum Question: Hashable {
        case services
        case included(AttributeID)
        case characteristics(AttributeID)
        case descriptors(AttributeID)
        case read(AttributeID)
        case write(AttributeID)
        case notify(AttributeID)
        case signalStrength
        case channel(UInt16)

        /// The attribute of the request.
        var attribute: AttributeID? {
            switch self {
            case .included(let id), .characteristics(let id), .descriptors(let id), .read(let id), .write(let id),
                .notify(let id):
                id
            case .services, .signalStrength, .channel: nil
            }
        }

        /// Returns true if a request that failed with `error` was on a link that has ended.
        func isEnded(by error: RadioError) -> Bool {
            switch (error, self) {
            case (.notConnected, _), (.disconnected(.remoteUserTerminated), _): true
            // A channel or an RSSI can time out on a link that continues; an ATT timeout ends the link.
            case (.disconnected(.connectionTimeout), .channel), (.disconnected(.connectionTimeout), .signalStrength):
                false
            case (.disconnected(.connectionTimeout), _): true
            default: false
            }
        }
    }

    /// The result of a callback, beside the state of CoreBluetooth's objects.
    enum Answer {
        case done
        case bytes([UInt8])
        case number(Int)
        case channel(CBL2CAPChannel)
    }

    typealias Line = [(Result<Answer, RadioError>) -> Void]

    private enum Waiting {
        case command([UInt8], CBCharacteristic, LinkOperation<Void>)
        case question(() -> Void)
    }

    let device: AppleDevice
    let radio: AppleRadio
    let pending: PendingOperations
    private(set) var isUp = true
    private var lines: [Question: Line] = [:]
    private var channelOrder: [UInt16] = []
    private(set) lazy var subscriptions = SubscriptionRegistry { [weak self] request, completion in
        guard let self, isUp, let characteristic = table.characteristic(request.characteristic) else {
            return completion(.failure(.notConnected))
        }
        ask(.notify(request.characteristic)) {
            $0.setNotifyValue(!request.kinds.isEmpty, for: characteristic)
        } _: {
            completion($0.map { _ in })
        }
    }
    /// Writes and requests that wait for room: a later request never overtakes an earlier write.
    private var backlog: [Waiting] = []
    private let shares = LinkShares()
    /// True once the link had a channel.
    var hasChannels = false
    private(set) var longestWrite = 512
    private(set) var longestCommand = 20

    init(_ device: AppleDevice, radio: AppleRadio) {
        self.device = device
        self.radio = radio
        pending = PendingOperations(loop: radio.loop)
        _ = updateLengths()
    }

    var object: CBPeripheral { device.object }
    var table: AppleAttributes { device.table }

    // MARK: Shares

    var isShared: Bool { shares.isShared }

    func share(for user: RadioUser?) -> AppleShare { shares.add(AppleShare(self, user: user)) }

    func remove(_ share: ObjectIdentifier, completion: @escaping () -> Void) {
        guard shares.remove(share), isUp else { return radio.loop.executeNext(completion) }
        // The unsubscriptions of the last user are sent first: CoreBluetooth keeps the order.
        guard hasChannels else { return device.disconnect(completion: completion) }
        // A channel that was just closed, on the streams' thread, ends before the link does.
        let disconnect = Carried { [self] in
            if !shares.isInUse, isUp { device.disconnect(completion: completion) } else { completion() }
        }
        let loop = radio.loop
        StreamThread.shared.perform { loop.execute { disconnect.value() } }
    }

    func endIfUnused() { if !shares.isInUse, isUp { device.disconnect {} } }

    func ended(_ error: RadioError) {
        guard isUp else { return }
        isUp = false
        lines = [:]
        backlog = []
        subscriptions.endAll()
        pending.failAll(error)
        shares.tell { $0.linkDisconnected(error) }
    }

    // MARK: Requests

    /// Sends a request to CoreBluetooth; `take` receives the result in order, unless the link ends before.
    func ask(
        _ question: Question, _ send: @escaping (CBPeripheral) -> Void,
        _ take: @escaping (Result<Answer, RadioError>) -> Void
    ) {
        lines[question, default: []].append(take)
        if case .channel(let psm) = question { channelOrder.append(psm) }
        let issue = { [radio, object] in radio.queue.run { send(object) } }
        if backlog.isEmpty { issue() } else { backlog.append(.question(issue)) }
    }

    func answered(_ question: Question, _ result: Result<Answer, RadioError>) {
        // CoreBluetooth fails the requests on a lost link before it reports the loss. That ends them, so that their
        // callers find the peripheral disconnected.
        if case .failure(let error) = result, question.isEnded(by: error) { return }
        guard var line = lines[question], !line.isEmpty else { return }
        let first = line.removeFirst()
        lines[question] = line.isEmpty ? nil : line
        if case .channel(let psm) = question, let place = channelOrder.firstIndex(of: psm) {
            channelOrder.remove(at: place)
        }
        // CoreBluetooth does not report changes of the MTU, which happen early, along with the first requests.
        if updateLengths() { shares.tell { $0.linkMTUChanged(mtu) } }
        first(result)
    }

    /// Returns the request that a channel, or nil for a refusal, belongs to.
    func channelQuestion(_ psm: UInt16?) -> Question? { (psm ?? channelOrder.first).map { .channel($0) } }

    /// Handles a value: the response to a read, or a notification. CoreBluetooth does not distinguish them, so where
    /// both are possible it counts as both and none is lost.
    func received(_ result: Result<[UInt8], RadioError>, of characteristic: CBCharacteristic) {
        guard let id = table.id(of: characteristic) else { return }
        if case .success(let bytes) = result { _ = bytes.withByteView { subscriptions.received($0, of: id) } }
        answered(.read(id), result.map { .bytes($0) })
    }

    // MARK: Changes

    func nameChanged(_ name: String) {
        device.name = name
        shares.tell { $0.linkNameChanged(name) }
    }

    func servicesChanged(_ services: [CBService]) {
        let known = services.compactMap { table.id(of: $0) }
        let gone = services.reduce(into: Set<AttributeID>()) { $0.formUnion(table.forget($1)) }
        // Requests to removed services are not answered any more.
        for question in lines.keys.filter({ $0.attribute.map(gone.contains) ?? false }) {
            for take in lines.removeValue(forKey: question) ?? [] {
                take(.failure(.att(.invalidHandle, handle: 0)))
            }
        }
        for id in gone { subscriptions.end(id, .att(.invalidHandle, handle: 0)) }
        shares.tell { $0.linkServicesChanged(known) }
    }

    // MARK: Writes without response

    var mtu: Int { longestCommand + 3 }

    private func updateLengths() -> Bool {
        let object = object
        let (write, command) = radio.queue.run {
            (object.maximumWriteValueLength(for: .withResponse), object.maximumWriteValueLength(for: .withoutResponse))
        }
        defer { (longestWrite, longestCommand) = (write, command) }
        return command != longestCommand || write != longestWrite
    }

    var canWriteWithoutResponse: Bool {
        let object = object
        return backlog.isEmpty && radio.queue.run { object.canSendWriteWithoutResponse }
    }

    func command(_ bytes: [UInt8], to characteristic: CBCharacteristic, _ operation: LinkOperation<Void>) {
        guard canWriteWithoutResponse else {
            return backlog.append(.command(bytes, characteristic, operation))
        }
        send(bytes, to: characteristic, operation)
    }

    private func send(_ bytes: [UInt8], to characteristic: CBCharacteristic, _ operation: LinkOperation<Void>) {
        let object = object
        radio.queue.run { object.writeValue(Data(bytes), for: characteristic, type: .withoutResponse) }
        operation.complete(.success(()))
    }

    func isReadyToWrite() {
        let object = object
        while let next = backlog.first {
            if case .command(_, _, let operation) = next, !operation.isOver,
                !radio.queue.run({ object.canSendWriteWithoutResponse })
            {
                return
            }
            // Removed first, because the calls below may call this method again.
            backlog.removeFirst()
            switch next {
            case .command(let bytes, let characteristic, let operation):
                if !operation.isOver { send(bytes, to: characteristic, operation) }
            case .question(let issue): issue()
            }
        }
        shares.tell { $0.linkIsReadyToWriteWithoutResponse() }
    }
}
