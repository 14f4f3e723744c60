import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The notified values of one characteristic, for all subscribers: from a socket of BlueZ where it provides one, else
/// from its signals. Confined to the loop.
final class ValueFeed {
    private enum State {
        case off
        case starting
        case socket(AcquiredSocket)
        case signals
        /// BlueZ is still unsubscribing on the device; a new subscriber waits for that.
        case stopping
    }

    private var state = State.off
    private var receivers: [(id: OperationID, receive: (ByteView) -> Void)] = []
    private var starting: [LinkOperation<Void>] = []
    private var stopped: [(Result<Void, RadioError>) -> Void] = []
    private unowned let link: BlueZLink
    private let path: String
    private let handle: UInt16
    private var attempts = 0
    /// Values arrive with BlueZ's signals, possibly the first one before its answer to the subscription.
    private var takesSignals = false
    private lazy var patience = link.loop.makeTimer { [weak self] in self?.finishStop() }

    /// True if BlueZ sends the values without a subscription.
    private let isAlwaysOn: Bool

    init(link: BlueZLink, path: String, handle: UInt16, isAlwaysOn: Bool) {
        self.isAlwaysOn = isAlwaysOn
        if isAlwaysOn { state = .signals }
        self.link = link
        self.path = path
        self.handle = handle
    }

    /// Adds a subscriber. The receiver is attached before BlueZ, and so the device, is asked to send.
    func subscribe(_ operation: LinkOperation<Void>, receive: @escaping (ByteView) -> Void) {
        receivers.append((operation.id, receive))
        operation.onAbandon = { [weak self, id = operation.id] in self?.unsubscribe(id) { _ in } }
        switch state {
        case .socket, .signals: operation.complete(.success(()))
        case .starting, .stopping: starting.append(operation)
        case .off:
            starting.append(operation)
            start()
        }
    }

    /// Ends one subscription; unsubscribes on the device with the last one.
    func unsubscribe(_ id: OperationID, completion: @escaping (Result<Void, RadioError>) -> Void) {
        receivers.removeAll { $0.id == id }
        guard receivers.isEmpty, !isAlwaysOn else { return completion(.success(())) }
        switch state {
        case .off, .starting: completion(.success(()))
        case .stopping: stopped.append(completion)
        case .socket(let socket):
            stopped.append(completion)
            state = .stopping
            patience.arm(at: link.loop.now + .seconds(2))
            socket.close()
        case .signals:
            stopped.append(completion)
            state = .stopping
            takesSignals = false
            patience.arm(at: link.loop.now + .seconds(5))
            link.call(path, BlueZ.gattCharacteristic, "StopNotify") { [weak self] _ in self?.finishStop() }
        }
    }

    private func finishStop() {
        guard case .stopping = state else { return }
        patience.disarm()
        state = .off
        let waiting = stopped
        stopped = []
        for completion in waiting { completion(.success(())) }
        if !receivers.isEmpty { start() }
    }

    // MARK: Starting

    private func start() {
        state = .starting
        attempts = 0
        link.queue.add { [weak self] done in
            guard let self else { return done() }
            if link.hasProperty("NotifyAcquired", at: path) { acquire(done) } else { startSignals(done) }
        }
    }

    private func acquire(_ done: @escaping () -> Void) {
        link.call(path, BlueZ.gattCharacteristic, "AcquireNotify", [.properties([:])]) { [weak self] result in
            guard let self else { return done() }
            if case .success(let answer) = result, case .descriptor(let descriptor)? = answer.first,
                let socket = AcquiredSocket(
                    descriptor, loop: link.loop, receive: { [weak self] in self?.received($0) },
                    ended: { [weak self] in self?.socketEnded() })
            {
                if answer.count > 1, let mtu = answer[1].integer { link.noteMTU(mtu) }
                done()
                return started(.socket(socket))
            }
            // Acquired by another program, or not offered: signals may still work.
            startSignals(done)
        }
    }

    private func startSignals(_ done: @escaping () -> Void) {
        takesSignals = true
        link.call(path, BlueZ.gattCharacteristic, "StartNotify") { [weak self] result in
            guard let self else { return done() }
            switch result {
            case .success:
                done()
                started(.signals)
            case .failure(let error) where error.kind == "InProgress" && attempts < RemoteRequest.attempts:
                attempts += 1
                link.after(RemoteRequest.pause) { [weak self] in
                    guard let self, case .starting = state else { return done() }
                    startSignals(done)
                }
            case .failure(let error):
                done()
                failed(error.radioError(handle: handle))
            }
        }
    }

    private func started(_ new: State) {
        guard case .starting = state else {
            // The link ended in the meantime.
            if case .socket(let socket) = new { socket.close() }
            return
        }
        state = new
        let waiting = starting
        starting = []
        for operation in waiting { operation.complete(.success(())) }
        // The subscribers cancelled in the meantime.
        if receivers.isEmpty { unsubscribe(OperationID(rawValue: 0)) { _ in } }
        if case .socket(let socket) = new { socket.drain() }
    }

    private func failed(_ error: RadioError) {
        guard case .starting = state else { return }
        state = .off
        takesSignals = false
        let waiting = starting
        starting = []
        receivers.removeAll { receiver in waiting.contains { $0.id == receiver.id } }
        for operation in waiting { operation.complete(.failure(error)) }
    }

    // MARK: Values

    /// Handles changed properties of the characteristic, such as a value where signals are used.
    func changed(_ properties: [String: BusValue]) {
        if takesSignals, let bytes = properties["Value"]?.bytes { bytes.withByteView { received($0) } }
        if case .stopping = state, properties["NotifyAcquired"]?.bool == false { finishStop() }
    }

    func received(_ value: ByteView) {
        for receiver in receivers where receivers.contains(where: { $0.id == receiver.id }) { receiver.receive(value) }
    }

    /// Handles the socket being closed by BlueZ: the link ends, or the device's attributes changed. The remaining
    /// subscribers are subscribed again if the link continues.
    private func socketEnded() {
        guard case .socket = state else { return }
        state = .off
        if link.isUp, !receivers.isEmpty { start() }
    }

    /// Handles the end of the link: values still in the socket were received before it.
    func linkEnded() {
        if case .socket(let socket) = state { socket.drain() }
        if case .socket(let socket) = state { socket.close() }
        patience.disarm()
        state = .off
        takesSignals = false
        receivers = []
        starting = []
        let waiting = stopped
        stopped = []
        for completion in waiting { completion(.success(())) }
    }
}
