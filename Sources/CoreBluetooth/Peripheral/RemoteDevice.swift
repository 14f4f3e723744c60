import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Foundation
import Synchronization

/// A device and one manager's use of it, on the adapter's loop.
///
/// `@unchecked Sendable`: what is not constant or atomic is touched on the loop only; `peripheral` is set before anybody
/// else knows the object. What every request passes is not checked for overlapping access: who changes it calls nothing
/// meanwhile that leads back here.
final class RemoteDevice: @unchecked Sendable {
    private enum Connection {
        case none
        /// Waits for the delay that was asked for.
        case delayed(QueuedTimer)
        case connecting(any BackendOperation)
        case connected(any PeripheralLink)
        /// The share is being given up.
        case parting
    }

    enum Waiting {
        case write([UInt8], AttributeID)
        case request(PeripheralRequest)
    }

    /// More writes without response than this are not outstanding: fewer than the stack's own queue takes.
    static let writeLimit = 192
    /// From here on `canSendWriteWithoutResponse` says no.
    static let writeMark = 32

    let id: PeripheralID
    let engine: CentralEngine
    let loop: RadioLoop
    let mailbox: Mailbox
    /// The object that stands for the device; not kept by this one.
    weak var peripheral: CBPeripheral?

    /// Writes without response that the radio has not taken yet.
    let outstandingWrites = Atomic<Int>(0)
    /// Whether somebody was told that there is no room for writes.
    let waitsForRoom = Atomic<Bool>(false)
    let longestWrite = Atomic<Int>(512)
    let longestCommand = Atomic<Int>(20)

    @exclusivity(unchecked) private var connection = Connection.none
    private var options = ConnectOptions()
    @exclusivity(unchecked) var requests: [PeripheralRequest] = []
    /// What waits for room on the link: nothing that is asked later overtakes a write that was asked before.
    @exclusivity(unchecked) var backlog: [Waiting] = []
    var subscriptions: [AttributeID: OperationID] = [:]
    var gapName: String?
    /// Whether the object has services of the last run, which have to be looked at when the device is connected.
    var hasRestoredServices = false
    /// Whether they are being looked at: for the program the device is being connected still.
    private var isChecking = false

    init(_ id: PeripheralID, engine: CentralEngine, loop: RadioLoop) {
        self.id = id
        self.engine = engine
        self.loop = loop
        mailbox = engine.mailbox
    }

    /// From any thread: runs on the loop, in the order of the calls.
    func execute(_ body: @escaping @Sendable () -> Void) { loop.execute(body) }

    /// The same, for callers who hold no lock: inside this call where the loop's thread sleeps.
    func enter(_ body: @escaping @Sendable () -> Void) { if !loop.enter(body) { loop.execute(body) } }

    var link: (any PeripheralLink)? {
        if case .connected(let link) = connection { link } else { nil }
    }

    func tell(_ body: @escaping (CBPeripheral) -> Void) {
        mailbox.post { [self] in if let peripheral { body(peripheral) } }
    }

    // MARK: Connecting

    /// Connects, however long it takes.
    func connect(_ options: ConnectOptions) {
        self.options = options
        switch connection {
        case .connected:
            if !isChecking { tell { $0.didConnect() } }
            return
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
        let operation = backend.connect(id, ConnectRequest(timeout: nil), for: engine.user) { [self] result in
            // An attempt that was given up, and another one begun, is nobody's any more.
            guard case .connecting(let current) = connection, attempt === current else {
                if case .success(let link) = result { link.release {} }
                return
            }
            switch result {
            case .success(let link):
                attempt = nil
                connected(link)
            case .failure(let error):
                // Where the radio goes off, that is told first, and ends the attempt.
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
        link.observer = self
        noteLengths(link)
        outstandingWrites.store(0, ordering: .relaxed)
        waitsForRoom.store(false, ordering: .relaxed)
        if hasRestoredServices, let services = peripheral?.services {
            isChecking = true
            ServiceCheck.begin(services, over: link) { [self] invalid in checked(services, invalid, link) }
        } else {
            tell { $0.didConnect() }
            readName(link)
        }
        hasRestoredServices = false
    }

    /// What was known in the last run was compared with what there is: values are sent again that were.
    private func checked(_ services: [CBService], _ invalid: [CBService], _ link: any PeripheralLink) {
        guard isChecking, case .connected(let current) = connection, current === link else { return }
        isChecking = false
        tell { peripheral in
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
        hasRestoredServices = false
        engine.drop(self)
        let error = error.connectionFailure
        tell { $0.didFailToConnect(error) }
    }

    /// Ends this use of the device.
    /// - Parameter use: the number of the use that was cancelled; nil where there was none, or it was cancelled before.
    func cancel(_ use: Int?) {
        switch connection {
        case .none: if let use { tell { $0.didCancel(use) } }
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
        if isChecking {
            isChecking = false
            return fail(error)
        }
        connection = .none
        subscriptions = [:]
        let told = error.coreBluetooth
        failRequests({ .failed(told) }, cancelling: nil)
        let reconnects = options.reconnects && engine.state == .poweredOn
        if reconnects { begin() } else { engine.drop(self) }
        tell { $0.didDisconnect(told, isReconnecting: reconnects) }
    }
}
