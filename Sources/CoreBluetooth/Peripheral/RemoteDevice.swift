import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import Synchronization

/// A remote device and one manager's connection to it, on the adapter's loop.
///
/// Proof of `@unchecked Sendable`: all state that is not constant or atomic is accessed on the loop only; `peripheral`
/// is set before the object is shared with another thread. Proof of `@exclusivity(unchecked)`: no access to `requests`
/// and `backlog`, which every request uses, spans a call that leads back here.
final class RemoteDevice: @unchecked Sendable {
    private enum Connection {
        case none
        /// The requested delay before connecting is running.
        case delayed(QueuedTimer)
        case connecting(any BackendOperation)
        case connected(any PeripheralLink)
        /// This manager's use of the link is being released.
        case releasing
    }

    enum Waiting {
        case write([UInt8], AttributeID)
        case request(PeripheralRequest)
    }

    /// Limit of outstanding writes without response: fewer than the capacity of the stack's own queue.
    static let writeLimit = 192
    /// Number of outstanding writes from which `canSendWriteWithoutResponse` is false.
    static let writeMark = 32

    let id: PeripheralID
    let engine: CentralEngine
    let loop: RadioLoop
    let mailbox: Mailbox
    /// The public object of the device; a weak reference.
    weak var peripheral: CBPeripheral?

    /// Writes without response that the radio has not taken yet.
    let outstandingWrites = Atomic<Int>(0)
    /// True after a caller was refused a write for lack of room.
    let waitsForRoom = Atomic<Bool>(false)
    let longestWrite = Atomic<Int>(512)
    let longestCommand = Atomic<Int>(20)

    private var connection = Connection.none
    private var options = ConnectOptions()
    @exclusivity(unchecked) var requests: [PeripheralRequest] = []
    /// Writes and requests that wait for room on the link: a later request never overtakes an earlier write.
    @exclusivity(unchecked) var backlog: [Waiting] = []
    /// The subscriptions by characteristic.
    var subscriptions: [AttributeID: Subscription] = [:]

    /// A subscription of the link, and the service whose end also ends it.
    struct Subscription {
        var id = OperationID(rawValue: 0)
        let service: AttributeID?
        /// The requests that wait for the device to accept it, the one that began it first; they have the same result.
        var waiting: [PeripheralRequest]
    }

    var gapName: String?
    /// True if the object has services of the last run, which have to be checked when the device is connected.
    var hasRestoredServices = false
    /// True while the restored services are being checked: for the program the device is still connecting.
    private var isChecking = false

    init(_ id: PeripheralID, engine: CentralEngine, loop: RadioLoop) {
        self.id = id
        self.engine = engine
        self.loop = loop
        mailbox = engine.mailbox
    }

    /// Runs `body` on the loop, in the order of the calls; callable from any thread.
    func execute(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    /// Runs `body` on the loop, inside this call if the loop's thread sleeps; for callers that hold no lock.
    func executeInline(_ body: @escaping @Sendable () -> Void) { if !loop.runInline(body) { loop.execute(body) } }

    /// Begins a request on the loop, in the same way. While callers read the socket, its answer is posted to the queue
    /// inside this call.
    func executeInline(_ request: PeripheralRequest) {
        if !loop.runInline(until: { request.isFinished }, { begin(request) }) { loop.execute { self.begin(request) } }
    }

    var link: (any PeripheralLink)? {
        if case .connected(let link) = connection { link } else { nil }
    }

    /// Enqueues a call of `body` with the peripheral object, if the program still has one, in the order of the events.
    func postToPeripheral(_ body: @escaping (CBPeripheral) -> Void) {
        mailbox.post { [self] in if let peripheral { body(peripheral) } }
    }

    /// Enqueues such a call for an event that the device can cause without limit; it is dropped if the queue is full.
    func postWithinLimit(_ body: @escaping (CBPeripheral) -> Void) {
        mailbox.postWithinLimit(.call { [self] in if let peripheral { body(peripheral) } })
    }

    private func log(_ event: @autoclosure () -> String) {
        engine.log.debug("\(event())", metadata: ["peer": "\(id)"])
    }

    // MARK: Connecting

    /// Connects, without a timeout.
    func connect(_ options: ConnectOptions) {
        self.options = options
        switch connection {
        case .connected:
            if !isChecking { postToPeripheral { $0.didConnect() } }
            return
        case .none, .releasing: break
        case .delayed, .connecting: return
        }
        if let problem = options.unsupported {
            return postToPeripheral { $0.didFailToConnect(CBError.make(.operationNotSupported, problem)) }
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
        let operation = backend.connect(id, ConnectRequest(timeout: nil), for: engine.user) { [self] result in
            // An attempt that was cancelled, and replaced by another one, has no caller.
            guard case .connecting(let current) = connection, attempt === current else {
                if case .success(let link) = result { link.release {} }
                return
            }
            switch result {
            case .success(let link):
                attempt = nil
                connected(link)
            case .failure(let error):
                // If the adapter is powered off, its new state is reported first, and ends the attempt.
                afterNewState { [self] in
                    guard case .connecting(let current) = connection, attempt === current else { return }
                    attempt = nil
                    fail(error)
                }
            }
        }
        attempt = operation
        connection = .connecting(operation)
    }

    private func connected(_ link: any PeripheralLink) {
        connection = .connected(link)
        log("connected")
        link.observer = self
        noteLengths(link)
        outstandingWrites.store(0, ordering: .relaxed)
        waitsForRoom.store(false, ordering: .relaxed)
        if hasRestoredServices, let services = peripheral?.services {
            isChecking = true
            ServiceCheck.begin(services, over: link) { [self] invalid in checked(services, invalid, link) }
        } else {
            postToPeripheral { $0.didConnect() }
            readName(link)
        }
        hasRestoredServices = false
    }

    /// Completes the check of the services of the last run: reports the connection and the invalid services, and
    /// subscribes again to the values that were notified.
    private func checked(_ services: [CBService], _ invalid: [CBService], _ link: any PeripheralLink) {
        guard isChecking, case .connected(let current) = connection, current === link else { return }
        isChecking = false
        postToPeripheral { peripheral in
            peripheral.didConnect()
            for service in invalid { service.invalidate() }
            if !invalid.isEmpty { peripheral.servicesChanged(invalid.compactMap(\.attribute)) }
        }
        for service in CBService.reachable(from: services) where !invalid.contains(where: { $0 === service }) {
            for characteristic in service.characteristics ?? [] where characteristic.isNotifying {
                guard let id = characteristic.attribute else { continue }
                begin(PeripheralRequest(self, .notify(characteristic, id, true), isRestoring: true))
            }
        }
        readName(link)
    }

    private func fail(_ error: RadioError) {
        connection = .none
        log("cannot connect: \(error)")
        hasRestoredServices = false
        engine.drop(self)
        let error = error.connectionFailure
        postToPeripheral { $0.didFailToConnect(error) }
    }

    /// Ends this manager's use of the device.
    /// - Parameter use: the number of the use that was cancelled; nil if there was none, or it was cancelled before.
    func cancel(_ use: Int?) {
        switch connection {
        case .none: if let use { postToPeripheral { $0.didCancel(use) } }
        case .releasing: return
        case .delayed(let timer):
            timer.disarm()
            connection = .none
            ended()
        case .connecting(let operation):
            connection = .releasing
            operation.cancel()
            ended()
        case .connected(let link):
            release(link) { [self] in ended() }
        }
    }

    private func release(_ link: any PeripheralLink, completion: @escaping () -> Void) {
        connection = .releasing
        log("released")
        isChecking = false
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
        // The device may have been requested again in the meantime.
        if case .releasing = connection { connection = .none }
        if case .none = connection { engine.drop(self) }
        let state: CBPeripheralState = isConnecting ? .connecting : .disconnected
        postToPeripheral { $0.didDisconnect(nil, state: state) }
    }

    /// Ends all operations because the public object or the manager was released.
    func abandon(completion: @escaping () -> Void = {}) {
        engine.drop(self)
        switch connection {
        case .none, .releasing: completion()
        case .delayed(let timer):
            timer.disarm()
            connection = .none
            completion()
        case .connecting(let operation):
            connection = .none
            operation.cancel()
            completion()
        case .connected(let link): release(link, completion: completion)
        }
    }

    var isConnecting: Bool {
        switch connection {
        case .delayed, .connecting: true
        case .none, .connected, .releasing: false
        }
    }

    /// Ends the connection or attempt because the adapter is no longer ready; the delegate is called after the new
    /// state was reported.
    func radioEnded(_ error: RadioError) {
        switch connection {
        case .none, .releasing: break
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

    /// Runs `body` after the current event. Where a link ends because the adapter is powered off, the new state is
    /// reported first; it is known within this turn of the loop.
    func afterNewState(_ body: @escaping () -> Void) { loop.executeNext(body) }

    private func lost(_ error: RadioError) {
        if isChecking {
            isChecking = false
            return fail(error)
        }
        connection = .none
        log("disconnected: \(error)")
        subscriptions = [:]
        let reported = error.coreBluetooth
        failRequests({ .failed(reported) }, cancelling: nil)
        let reconnects = options.reconnects && engine.state == .poweredOn
        if reconnects { begin() } else { engine.drop(self) }
        postToPeripheral { $0.didDisconnect(reported, isReconnecting: reconnects) }
    }
}
