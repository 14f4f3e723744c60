import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// A device, its connection and its waiters. Confined to the loop.
final class AppleDevice {
    private enum Connection {
        case none
        case connecting
        case connected(AppleLink)
        /// The system was asked to stop connecting or to disconnect.
        case parting
    }

    let id: PeripheralID
    let object: CBPeripheral
    var name: String?
    private(set) var wasConnected = false
    /// The attribute identifiers, which stay the same across connections.
    let table = AttributeTable()
    private unowned let radio: AppleRadio
    private var connection = Connection.none
    private var waiters: [ConnectWaiter] = []
    private var endings: [() -> Void] = []
    /// The system sometimes does not report the end of a cancelled attempt.
    private lazy var patience = radio.loop.makeTimer { [weak self] in self?.parted() }
    private static let patienceTime = Duration.seconds(3)

    init(_ id: PeripheralID, _ object: CBPeripheral, radio: AppleRadio) {
        self.id = id
        self.object = object
        self.radio = radio
        name = radio.queue.run { object.name }
    }

    var link: AppleLink? { if case .connected(let link) = connection { link } else { nil } }
    var isInUse: Bool { if case .none = connection { !waiters.isEmpty } else { true } }

    // MARK: Connecting

    func connect(_ waiter: ConnectWaiter, timeout: Duration?) {
        if case .connected(let link) = connection { return waiter.end(.success(link.share())) }
        waiter.device = self
        waiters.append(waiter)
        if let timeout {
            let timer = radio.loop.makeTimer { [weak waiter] in waiter?.giveUp(.timeout) }
            timer.arm(at: radio.loop.now + timeout)
            waiter.timer = timer
        }
        if case .none = connection { begin() }
    }

    private func begin() {
        guard let central = radio.central else { return end(.radio(.unsupported, reason: "the adapter was closed")) }
        connection = .connecting
        let object = object
        radio.queue.run { central.connect(object, options: nil) }
    }

    /// Removes a waiter that cancelled or timed out; the attempt ends with the last one.
    func gaveUp(_ waiter: ConnectWaiter) {
        if case .connecting = connection, waiters.allSatisfy({ $0.verdict != nil }) { return part() }
        waiters.removeAll { $0 === waiter }
        waiter.end(.failure(.cancelled))
    }

    func didConnect() {
        guard case .connecting = connection else { return }
        wasConnected = true
        let link = AppleLink(self, radio: radio)
        connection = .connected(link)
        let waiting = waiters
        waiters = []
        radio.tellConnected(id)
        for waiter in waiting { waiter.end(.success(link.share())) }
        link.endIfUnused()
    }

    func didFail(_ error: RadioError) {
        switch connection {
        case .connecting: end(error)
        case .parting: parted()
        case .none, .connected: break
        }
    }

    func didDisconnect(_ error: RadioError?) {
        switch connection {
        case .none: break
        case .connecting:
            // This may be the end of an earlier attempt that was cancelled.
            let object = object
            if radio.queue.run({ object.state }) == .disconnected { end(error ?? .disconnected(.failedToEstablish)) }
        case .connected(let link):
            connection = .none
            lost(link, error ?? .disconnected(.localHostTerminated))
        case .parting: parted()
        }
    }

    private func end(_ error: RadioError) {
        connection = .none
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.end(.failure(error)) }
    }

    private func lost(_ link: AppleLink, _ error: RadioError) {
        table.forgetObjects()
        link.ended(error)
        radio.tellDisconnected(id, error)
    }

    // MARK: Disconnecting

    /// Disconnects after the last share was released.
    func disconnect(completion: @escaping () -> Void) {
        guard case .connected(let link) = connection else { return completion() }
        endings.append(completion)
        part()
        lost(link, .disconnected(.localHostTerminated))
    }

    private func part() {
        connection = .parting
        let (object, central) = (object, radio.central)
        radio.queue.run { central?.cancelPeripheralConnection(object) }
        patience.arm(at: radio.loop.now + Self.patienceTime)
    }

    private func parted() {
        guard case .parting = connection else { return }
        patience.disarm()
        connection = .none
        let (waiting, ended) = (waiters, endings)
        endings = []
        waiters = waiting.filter { $0.verdict == nil }
        for waiter in waiting where waiter.verdict != nil { waiter.end(.failure(.cancelled)) }
        for completion in ended { completion() }
        // A new waiter was added in the meantime.
        if !waiters.isEmpty, case .none = connection { begin() }
    }

    /// Ends all operations because the adapter is being closed.
    func close(completion: @escaping () -> Void) {
        for waiter in waiters { waiter.giveUp(.cancelled) }
        switch connection {
        case .none: completion()
        case .connected: disconnect(completion: completion)
        case .connecting:
            endings.append(completion)
            part()
        case .parting: endings.append(completion)
        }
    }

    func radioEnded(_ error: RadioError) {
        patience.disarm()
        let last = connection
        connection = .none
        if case .connected(let link) = last { lost(link, error) }
        end(error)
        let ended = endings
        endings = []
        for completion in ended { completion() }
    }
}
