import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// A connection, which its shares have in common; confined to the loop.
///
/// CoreBluetooth answers without saying which question it answers, and questions of one kind in their order: so what was
/// asked waits in line, and an answer belongs to the first. Who has given up stays in line.
final class AppleLink {
    /// What can be asked; answers to one question come in the order in which it was asked.
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

        /// The attribute that it is about.
        var attribute: AttributeID? {
            switch self {
            case .included(let id), .characteristics(let id), .descriptors(let id), .read(let id), .write(let id),
                .notify(let id):
                id
            case .services, .signalStrength, .channel: nil
            }
        }
    }

    /// What an answer brings along, beside what is in CoreBluetooth's objects then.
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
    private var feeds: [AttributeID: AppleFeed] = [:]
    /// What waits for room: nothing that is asked later overtakes a write that was asked before.
    private var backlog: [Waiting] = []
    private var shares: [Unmanaged<AppleShare>] = []
    /// Whether there ever was a channel.
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
    var table: AttributeTable { device.table }

    // MARK: Shares

    func share() -> AppleShare {
        let share = AppleShare(self)
        // Not kept: it takes itself out of the list when it is released.
        shares.append(.passUnretained(share))
        return share
    }

    func remove(_ share: Unmanaged<AppleShare>, completion: @escaping () -> Void) {
        shares.removeAll { $0.toOpaque() == share.toOpaque() }
        guard shares.isEmpty, isUp else { return radio.loop.later(completion) }
        // What the last user asked to be unsubscribed is told first: CoreBluetooth keeps the order.
        guard hasChannels else { return device.disconnect(completion: completion) }
        // A channel that was closed just now, on the streams' thread, ends before the link does.
        let parting = Carried { [self] in
            if shares.isEmpty, isUp { device.disconnect(completion: completion) } else { completion() }
        }
        let loop = radio.loop
        StreamThread.shared.perform { loop.execute { parting.value() } }
    }

    func endIfUnused() { if shares.isEmpty, isUp { device.disconnect {} } }

    private func tell(_ body: (any LinkObserver) -> Void) {
        for share in shares {
            // Who hears it may give up a share, his own or another's.
            guard shares.contains(where: { $0.toOpaque() == share.toOpaque() }) else { continue }
            if let observer = share.takeUnretainedValue().observer { body(observer) }
        }
    }

    func ended(_ error: RadioError) {
        guard isUp else { return }
        isUp = false
        lines = [:]
        backlog = []
        for feed in feeds.values { feed.linkEnded() }
        feeds = [:]
        pending.failAll(error)
        tell { $0.linkDisconnected(error) }
    }

    // MARK: Questions

    /// Asks CoreBluetooth; `take` gets the answer in its turn, unless the link ends before.
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
        guard var line = lines[question], !line.isEmpty else { return }
        let first = line.removeFirst()
        lines[question] = line.isEmpty ? nil : line
        if case .channel(let psm) = question, let place = channelOrder.firstIndex(of: psm) {
            channelOrder.remove(at: place)
        }
        // CoreBluetooth does not tell when the MTU changes: it does so early, beside the first questions.
        if updateLengths() { tell { $0.linkMTUChanged(mtu) } }
        first(result)
    }

    /// Which question a channel answers, or, where there is none, its refusal.
    func channelQuestion(_ psm: UInt16?) -> Question? { (psm ?? channelOrder.first).map { .channel($0) } }

    /// A value: the answer to a read, or what the device sent by itself. CoreBluetooth does not say which, so where both
    /// are possible it counts as both and none is lost.
    func received(_ result: Result<[UInt8], RadioError>, of characteristic: CBCharacteristic) {
        guard let id = table.id(of: characteristic) else { return }
        if case .success(let bytes) = result { bytes.withByteView { feeds[id]?.received($0) } }
        answered(.read(id), result.map { .bytes($0) })
    }

    func feed(for id: AttributeID, _ characteristic: CBCharacteristic) -> AppleFeed {
        if let known = feeds[id] { return known }
        let feed = AppleFeed { [weak self] isOn, completion in
            guard let self, isUp else { return completion(.failure(.notConnected)) }
            ask(.notify(id)) {
                $0.setNotifyValue(isOn, for: characteristic)
            } _: {
                completion($0.map { _ in })
            }
        }
        feeds[id] = feed
        return feed
    }

    // MARK: Changes

    func nameChanged(_ name: String) {
        device.name = name
        tell { $0.linkNameChanged(name) }
    }

    func servicesChanged(_ services: [CBService]) {
        let known = services.compactMap { table.id(of: $0) }
        let gone = services.reduce(into: Set<AttributeID>()) { $0.formUnion(table.forget($1)) }
        // What was asked of them is not answered any more.
        for question in lines.keys.filter({ $0.attribute.map(gone.contains) ?? false }) {
            for take in lines.removeValue(forKey: question) ?? [] {
                take(.failure(.att(.invalidHandle, handle: 0)))
            }
        }
        for id in gone { feeds.removeValue(forKey: id)?.linkEnded() }
        tell { $0.linkServicesChanged(known) }
    }

    // MARK: Writes that nobody acknowledges

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
            // Taken out first: what is begun here may come back here.
            backlog.removeFirst()
            switch next {
            case .command(let bytes, let characteristic, let operation):
                if !operation.isOver { send(bytes, to: characteristic, operation) }
            case .question(let issue): issue()
            }
        }
        tell { $0.linkIsReadyToWriteWithoutResponse() }
    }
}
