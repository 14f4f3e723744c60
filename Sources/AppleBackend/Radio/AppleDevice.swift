import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import CoreBluetooth

/// A device and its connection. Confined to the loop.
final class AppleDevice {
    private enum Connection {
        case none
        case connecting
        case connected(AppleLink)
        /// The system was asked to stop connecting or to disconnect.
        case disconnecting
    }

    let id: PeripheralID
    let object: CBPeripheral
    var name: String?
    private(set) var wasConnected = false
    /// The attribute identifiers, which stay the same across connections.
    let table = AppleAttributes()
    /// Proof of `unowned`: only the radio and its links store this object, and a link retains the radio.
    private unowned let radio: AppleRadio
    private var connection = Connection.none
    /// The attempt to connect; nil while there is none.
    private var attempt: ConnectionAttempt<Void>?
    private let endings = WaitingCallers<Void>()
    /// The system sometimes does not report the end of a cancelled attempt.
    private lazy var patience = radio.loop.makeTimer { [weak self] in self?.finishDisconnecting() }
    private static let patienceTime = Duration.seconds(3)

    init(_ id: PeripheralID, _ object: CBPeripheral, radio: AppleRadio) {
        self.id = id
        self.object = object
        self.radio = radio
        name = radio.queue.run { object.name }
    }

    var link: AppleLink? { if case .connected(let link) = connection { link } else { nil } }
    var isInUse: Bool { if case .none = connection { attempt != nil } else { true } }

    // MARK: Connecting

    /// Connects, once the system has ended the previous connection.
    func connect(_ attempt: ConnectionAttempt<Void>) {
        self.attempt = attempt
        if case .none = connection { begin() }
    }

    private func begin() {
        guard let central = radio.central else { return end(.radio(.unsupported, reason: "the adapter was closed")) }
        connection = .connecting
        let object = object
        radio.queue.run { central.connect(object, options: nil) }
    }

    /// Stops an attempt, which fails when the system has stopped connecting.
    func stop(_ attempt: ConnectionAttempt<Void>) {
        guard self.attempt === attempt else { return }
        if case .connecting = connection { return cancelConnection() }
        self.attempt = nil
        radio.ended(attempt, .cancelled)
    }

    func didConnect() {
        guard case .connecting = connection else { return }
        wasConnected = true
        let link = AppleLink(self, radio: radio)
        connection = .connected(link)
        let attempt = attempt
        self.attempt = nil
        radio.notifyConnected(id)
        if let attempt { radio.established(attempt, link) }
        link.endIfUnused()
    }

    func didFail(_ error: RadioError) {
        switch connection {
        case .connecting: end(error)
        case .disconnecting: finishDisconnecting()
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
        case .disconnecting: finishDisconnecting()
        }
    }

    private func end(_ error: RadioError) {
        connection = .none
        let attempt = attempt
        self.attempt = nil
        if let attempt { radio.ended(attempt, error) }
    }

    private func lost(_ link: AppleLink, _ error: RadioError) {
        table.forgetObjects()
        link.ended(error)
        radio.notifyDisconnected(id, error)
    }

    // MARK: Disconnecting

    /// Disconnects after the last share was released.
    func disconnect(completion: @escaping () -> Void) {
        guard case .connected(let link) = connection else { return completion() }
        endings.add(completion)
        cancelConnection()
        lost(link, .disconnected(.localHostTerminated))
    }

    private func cancelConnection() {
        connection = .disconnecting
        let (object, central) = (object, radio.central)
        radio.queue.run { central?.cancelPeripheralConnection(object) }
        patience.arm(at: radio.loop.now + Self.patienceTime)
    }

    private func finishDisconnecting() {
        guard case .disconnecting = connection else { return }
        patience.disarm()
        connection = .none
        // Callers that came after the attempt was given up begin another one.
        if attempt?.isStopping == true { end(.cancelled) }
        endings.resume()
        if attempt != nil, case .none = connection { begin() }
    }

    /// Ends all operations because the adapter is being closed.
    func close(completion: @escaping () -> Void) {
        switch connection {
        case .none: completion()
        case .connected: disconnect(completion: completion)
        case .connecting:
            endings.add(completion)
            cancelConnection()
        case .disconnecting: endings.add(completion)
        }
    }

    func radioEnded(_ error: RadioError) {
        patience.disarm()
        let last = connection
        connection = .none
        if case .connected(let link) = last { lost(link, error) }
        end(error)
        endings.resume()
    }
}
