import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import Synchronization

/// A device and one manager's use of it, on the adapter's loop.
///
/// `@unchecked Sendable`: what is not constant or atomic is touched on the loop only; `peripheral` is set before anybody
/// else knows the object.
final class RemoteDevice: LinkObserver, @unchecked Sendable {
    private enum Connection {
        case none
        /// Waits for the delay that was asked for.
        case delayed(QueuedTimer)
        case connecting(any BackendOperation)
        case connected(any PeripheralLink)
        /// The share is being given up.
        case parting
    }

    private enum Waiting {
        case write([UInt8], AttributeID)
        case request(PeripheralRequest)
    }

    /// More writes without response than this are not outstanding: fewer than the stack's own queue takes.
    static let writeLimit = 192
    /// From here on `canSendWriteWithoutResponse` says no.
    static let writeMark = 32

    let id: PeripheralID
    let engine: CentralEngine
    private let loop: RadioLoop
    private let mailbox: Mailbox
    /// The object that stands for the device; not kept by this one.
    weak var peripheral: CBPeripheral?

    /// Writes without response that the radio has not taken yet.
    private let outstandingWrites = Atomic<Int>(0)
    /// Whether somebody was told that there is no room for writes.
    private let waitsForRoom = Atomic<Bool>(false)
    private let longestWrite = Atomic<Int>(512)
    private let longestCommand = Atomic<Int>(20)

    private var connection = Connection.none
    private var options = ConnectOptions()
    private var requests: [PeripheralRequest] = []
    /// What waits for room on the link: nothing that is asked later overtakes a write that was asked before.
    private var backlog: [Waiting] = []
    private var subscriptions: [AttributeID: OperationID] = [:]
    private var gapName: String?

    init(_ id: PeripheralID, engine: CentralEngine, loop: RadioLoop) {
        self.id = id
        self.engine = engine
        self.loop = loop
        mailbox = engine.mailbox
    }

    /// From any thread: runs on the loop, in the order of the calls.
    func execute(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    var link: (any PeripheralLink)? {
        if case .connected(let link) = connection { link } else { nil }
    }

    private func tell(_ body: @escaping (CBPeripheral) -> Void) {
        mailbox.post { [self] in if let peripheral { body(peripheral) } }
    }

    // MARK: Connecting

    /// Connects, however long it takes.
    func connect(_ options: ConnectOptions) {
        self.options = options
        switch connection {
        case .connected: return tell { $0.didConnect() }
        case .none, .parting: break
        case .delayed, .connecting: return
        }
        if let problem = options.unsupported {
            return tell { $0.didFailToConnect(CBError.make(.operationNotSupported, problem)) }
        }
        engine.keep(self)
        if options.delay > .zero {
            let timer = loop.makeTimer { [self] in begin() }
            connection = .delayed(timer)
            timer.arm(at: loop.now + options.delay)
        } else {
            begin()
        }
    }

    private func begin() {
        guard let backend = engine.backend else { return fail(.radio(.unsupported, reason: "the adapter was closed")) }
        var attempt: (any BackendOperation)?
        let operation = backend.connect(id, ConnectRequest(timeout: nil)) { [self] result in
            // An attempt that was given up, and another one begun, is nobody's any more.
            guard case .connecting(let current) = connection, attempt === current else {
                if case .success(let link) = result { link.release {} }
                return
            }
            attempt = nil
            switch result {
            case .success(let link): connected(link)
            case .failure(let error): fail(error)
            }
        }
        attempt = operation
        connection = .connecting(operation)
    }

    private func connected(_ link: any PeripheralLink) {
        connection = .connected(link)
        link.observer = self
        noteLengths(link)
        outstandingWrites.store(0, ordering: .relaxed)
        waitsForRoom.store(false, ordering: .relaxed)
        tell { $0.didConnect() }
        readName(link)
    }

    private func fail(_ error: RadioError) {
        connection = .none
        engine.drop(self)
        let error = error.connectionFailure
        tell { $0.didFailToConnect(error) }
    }

    /// Ends this use of the device.
    func cancel() {
        switch connection {
        case .none: return tell { $0.didDisconnect(nil) }
        case .parting: return
        case .delayed(let timer):
            timer.disarm()
            connection = .none
            ended()
        case .connecting(let operation):
            connection = .parting
            operation.cancel()
            ended()
        case .connected(let link):
            part(link) { [self] in ended() }
        }
    }

    private func part(_ link: any PeripheralLink, completion: @escaping () -> Void) {
        connection = .parting
        link.observer = nil
        failRequests {
            .failed(CBError.make(.operationCancelled))
        } cancelling: {
            link.cancel($0)
        }
        subscriptions = [:]
        link.release(completion: completion)
    }

    private func ended() {
        // Perhaps it was asked for again in the meantime.
        if case .parting = connection { connection = .none }
        if case .none = connection { engine.drop(self) }
        let state: CBPeripheralState = isConnecting ? .connecting : .disconnected
        tell { $0.didDisconnect(nil, state: state) }
    }

    /// Nobody holds the object any more, or the manager is gone.
    func abandon(completion: @escaping () -> Void = {}) {
        engine.drop(self)
        switch connection {
        case .none, .parting: completion()
        case .delayed(let timer):
            timer.disarm()
            connection = .none
            completion()
        case .connecting(let operation):
            connection = .none
            operation.cancel()
            completion()
        case .connected(let link): part(link, completion: completion)
        }
    }

    var isConnecting: Bool {
        switch connection {
        case .delayed, .connecting: true
        case .none, .connected, .parting: false
        }
    }

    /// The radio is no longer ready: what runs ends now, and the delegate hears of it after the new state.
    func radioEnded(_ error: RadioError) {
        switch connection {
        case .none, .parting: break
        case .delayed(let timer):
            timer.disarm()
            fail(error)
        case .connecting(let operation):
            fail(error)
            operation.cancel()
        case .connected(let link):
            link.observer = nil
            lost(error)
            link.release {}
        }
    }

    func linkDisconnected(_ error: RadioError) {
        guard case .connected(let link) = connection else { return }
        link.observer = nil
        afterNewState { [self] in
            guard case .connected(let current) = connection, current === link else { return }
            lost(error)
        }
    }

    /// Where a link ends because the radio goes off, the new state is told first; it is known within this turn of the loop.
    func afterNewState(_ body: @escaping () -> Void) { loop.later(body) }

    private func lost(_ error: RadioError) {
        connection = .none
        subscriptions = [:]
        let told = error.coreBluetooth
        failRequests({ .failed(told) }, cancelling: nil)
        let reconnects = options.reconnects && engine.state == .poweredOn
        if reconnects { begin() } else { engine.drop(self) }
        tell { $0.didDisconnect(told, isReconnecting: reconnects) }
    }

    // MARK: Requests

    func begin(_ request: PeripheralRequest) {
        guard let link else { return request.finish(.failed(CBError.make(.notConnected))) }
        request.place = requests.count
        requests.append(request)
        guard backlog.isEmpty else { return backlog.append(.request(request)) }
        request.identifier = perform(request, link)
    }

    func finished(_ request: PeripheralRequest) {
        if let place = request.place {
            let last = requests.removeLast()
            if last !== request {
                requests[place] = last
                last.place = place
            }
            request.place = nil
        }
        mailbox.post(.request(request))
    }

    private func failRequests(_ answer: () -> PeripheralRequest.Answer, cancelling: ((OperationID) -> Void)?) {
        let waiting = backlog
        backlog = []
        for case .write in waiting { writeEnded() }
        // In the order in which they were begun, as far as that is known.
        let unfinished = requests.sorted {
            ($0.identifier?.rawValue ?? .max) < ($1.identifier?.rawValue ?? .max)
        }
        for request in unfinished {
            request.finish(answer())
            if let identifier = request.identifier { cancelling?(identifier) }
        }
    }

    private func perform(_ request: PeripheralRequest, _ link: any PeripheralLink) -> OperationID? {
        switch request.operation {
        case .read(_, let attribute), .readDescriptor(_, let attribute):
            return link.read(attribute, timeout: nil) { result in
                switch result {
                case .success(let view): request.finish(.data(Data(view.unsafeBytes)))
                case .failure(let error): request.finish(error)
                }
            }
        case .write(_, let attribute, let bytes), .writeDescriptor(_, let attribute, let bytes):
            return link.write(bytes, to: attribute, timeout: nil) { result in
                if case .failure(let error) = result { request.finish(error) } else { request.finish(.done) }
            }
        case .notify(let characteristic, let attribute, let isOn):
            return setNotify(request, characteristic, attribute, isOn, link)
        case .services(let filter):
            return link.discoverServices(filter?.models, timeout: nil) { request.finish($0) { .services($0) } }
        case .included(_, let service, _):
            return link.discoverIncludedServices(of: service, timeout: nil) { request.finish($0) { .services($0) } }
        case .characteristics(_, let service, let filter):
            return link.discoverCharacteristics(of: service, filter?.models, timeout: nil) {
                request.finish($0) { .characteristics($0) }
            }
        case .descriptors(_, let characteristic):
            return link.discoverDescriptors(of: characteristic, timeout: nil) {
                request.finish($0) { .descriptors($0) }
            }
        case .signalStrength:
            return link.readRSSI(timeout: nil) { request.finish($0) { .signalStrength($0) } }
        case .channel(let psm):
            let loop = loop
            return link.openChannel(psm: psm, timeout: nil) {
                request.finish($0) { .channel(ChannelStreams($0, loop: loop)) }
            }
        }
    }

    private func setNotify(
        _ request: PeripheralRequest, _ characteristic: CBCharacteristic, _ attribute: AttributeID, _ isOn: Bool,
        _ link: any PeripheralLink
    ) -> OperationID? {
        let completion: (Result<Void, RadioError>) -> Void = { [weak self] result in
            switch result {
            case .success: request.finish(.done)
            case .failure(let error):
                if isOn { self?.subscriptions[attribute] = nil }
                request.finish(error)
            }
        }
        if !isOn {
            if let old = subscriptions.removeValue(forKey: attribute) {
                link.unsubscribe(old, timeout: nil, completion: completion)
            } else {
                request.finish(.done)
            }
            return nil
        }
        guard subscriptions[attribute] == nil else {
            request.finish(.done)
            return nil
        }
        let mailbox = mailbox
        let subscription = link.subscribe(
            attribute, kind: .any, timeout: nil,
            receive: { [self] view in
                mailbox.post(.value(characteristic, Data(view.unsafeBytes), self))
            }, completion: completion)
        // Where it failed at once there is nothing to end later.
        if case .none = request.answer { subscriptions[attribute] = subscription }
        if case .done = request.answer { subscriptions[attribute] = subscription }
        return subscription
    }

    // MARK: Writes that nobody acknowledges

    /// From any thread: whether one more write may be handed over.
    func admitWrite() -> Bool {
        let count = outstandingWrites.add(1, ordering: .relaxed).newValue
        guard count <= Self.writeLimit else {
            outstandingWrites.subtract(1, ordering: .relaxed)
            waitsForRoom.store(true, ordering: .relaxed)
            return false
        }
        return true
    }

    /// From any thread.
    var hasRoomForWrites: Bool {
        if outstandingWrites.load(ordering: .relaxed) < Self.writeMark { return true }
        waitsForRoom.store(true, ordering: .relaxed)
        // It may have become true between the two.
        return outstandingWrites.load(ordering: .relaxed) < Self.writeMark
    }

    func write(_ bytes: [UInt8], to attribute: AttributeID) {
        guard let link else { return writeEnded() }
        guard backlog.isEmpty, link.canWriteWithoutResponse else { return backlog.append(.write(bytes, attribute)) }
        send(bytes, to: attribute, link)
    }

    private func send(_ bytes: [UInt8], to attribute: AttributeID, _ link: any PeripheralLink) {
        link.writeWithoutResponse(bytes, to: attribute, timeout: nil) { [self] result in
            if case .failure(.invalidArgument(let reason)) = result {
                Misuse.report("writeValue(_:for:type: .withoutResponse): \(reason)")
            }
            writeEnded()
        }
    }

    private func writeEnded() {
        let left = outstandingWrites.subtract(1, ordering: .relaxed).newValue
        guard left < Self.writeMark / 2, waitsForRoom.load(ordering: .relaxed) else { return }
        waitsForRoom.store(false, ordering: .relaxed)
        tell { $0.isReadyToWrite() }
    }

    // MARK: Lengths and names

    /// From any thread: the most octets of one write.
    func maximumWriteLength(_ type: CBCharacteristicWriteType) -> Int {
        type == .withResponse ? longestWrite.load(ordering: .relaxed) : longestCommand.load(ordering: .relaxed)
    }

    private func noteLengths(_ link: any PeripheralLink) {
        longestWrite.store(link.maximumWriteLength(withResponse: true), ordering: .relaxed)
        longestCommand.store(link.maximumWriteLength(withResponse: false), ordering: .relaxed)
    }

    func linkMTUChanged(_ mtu: Int) { if let link { noteLengths(link) } }
    func linkParametersChanged(_ parameters: ConnectionParameters) {}
    func linkSecurityChanged(_ security: LinkSecurity) {}

    func linkIsReadyToWriteWithoutResponse() {
        guard let link else { return }
        while let next = backlog.first {
            if case .write = next, !link.canWriteWithoutResponse { return }
            // Taken out first: what is begun here may come back here.
            backlog.removeFirst()
            switch next {
            case .write(let bytes, let attribute): send(bytes, to: attribute, link)
            case .request(let request):
                if request.place != nil { request.identifier = perform(request, link) }
            }
        }
    }
    func linkNameChanged(_ name: String) { tell { $0.nameChanged(name) } }

    func linkServicesChanged(_ services: [AttributeID]) {
        tell { $0.servicesChanged(services) }
        if let link { readName(link) }
    }

    /// The GAP name, which is the one that counts once it is known. A device that wants to be paired before it tells is
    /// left alone.
    private func readName(_ link: any PeripheralLink) {
        link.discoverServices([0x1800], timeout: nil) { [weak self] result in
            guard case .success(let services) = result, let service = services.first, let link = self?.link else {
                return
            }
            link.discoverCharacteristics(of: service.id, [0x2A00], timeout: nil) { [weak self] result in
                guard case .success(let found) = result, let name = found.first, let link = self?.link else { return }
                link.read(name.id, timeout: nil) { [weak self] result in
                    guard let self, case .success(let view) = result, !view.isEmpty else { return }
                    let name = String(decoding: view.unsafeBytes, as: UTF8.self)
                    guard name != gapName else { return }
                    gapName = name
                    tell { $0.nameChanged(name) }
                }
            }
        }
    }
}

extension PeripheralRequest {
    /// Ends with a value or an error.
    fileprivate func finish<Value>(_ result: Result<Value, RadioError>, _ answer: (Value) -> Answer) {
        switch result {
        case .success(let value): finish(answer(value))
        case .failure(let error): finish(error)
        }
    }
}
