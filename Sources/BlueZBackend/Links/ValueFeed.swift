import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// The values that one characteristic sends, for all who subscribed: a socket of BlueZ's where it gives one, else its
/// signals. Confined to the loop.
final class ValueFeed {
    private enum State {
        case off
        case starting
        case socket(AcquiredSocket)
        case signals
        /// BlueZ is still telling the device; a new subscriber waits for that.
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
    /// Values come with BlueZ's signals, the first perhaps before it has answered that they will.
    private var takesSignals = false
    private lazy var patience = link.loop.makeTimer { [weak self] in self?.finishStop() }

    /// Whether BlueZ sends the values without being asked.
    private let isAlwaysOn: Bool

    init(link: BlueZLink, path: String, handle: UInt16, isAlwaysOn: Bool) {
        self.isAlwaysOn = isAlwaysOn
        if isAlwaysOn { state = .signals }
        self.link = link
        self.path = path
        self.handle = handle
    }

    /// The receiver is attached before BlueZ, and so before the device, is told.
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

    /// Ends one subscription; with the last one the device is told.
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
            // Taken by somebody else, or not offered: the plain way may still be open.
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
            // The link ended meanwhile.
            if case .socket(let socket) = new { socket.close() }
            return
        }
        state = new
        let waiting = starting
        starting = []
        for operation in waiting { operation.complete(.success(())) }
        // Whoever asked gave up meanwhile.
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

    /// Properties of the characteristic changed: a value, where it came with signals.
    func changed(_ properties: [String: BusValue]) {
        if takesSignals, let bytes = properties["Value"]?.bytes { bytes.withByteView { received($0) } }
        if case .stopping = state, properties["NotifyAcquired"]?.bool == false { finishStop() }
    }

    func received(_ value: ByteView) {
        for receiver in receivers where receivers.contains(where: { $0.id == receiver.id }) { receiver.receive(value) }
    }

    /// BlueZ took the socket back: the link ends, or the device's attributes changed. Who still listens is heard again
    /// where the link lives on.
    private func socketEnded() {
        guard case .socket = state else { return }
        state = .off
        if link.isUp, !receivers.isEmpty { start() }
    }

    /// The link ended: what is still in the socket came before that.
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
