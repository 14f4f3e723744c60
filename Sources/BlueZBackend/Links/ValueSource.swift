import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

/// The source of one characteristic's values: a socket of BlueZ if it provides one, else its signals. Confined to the
/// loop.
final class ValueSource {
    private enum State {
        case off
        case starting
        case socket(AcquiredSocket)
        case signals
        /// BlueZ is still unsubscribing on the device.
        case stopping
    }

    private var state = State.off
    /// Completes the current start or stop.
    private var completion: ((Result<Void, RadioError>) -> Void)?
    /// Proof of `unowned`: only the link stores this object, and closures have weak references to it.
    private unowned let link: BlueZLink
    private let id: AttributeID
    let path: String
    private var attempts = 0
    /// The number of times that BlueZ refused to renew the subscription since it last accepted it.
    var refusals = 0
    /// True if values arrive with BlueZ's signals, possibly the first one before its answer to the subscription.
    private var takesSignals = false
    private lazy var patience = link.loop.makeTimer { [weak self] in self?.finishStop() }

    /// True if BlueZ sends the values without a subscription.
    private let isAlwaysOn: Bool

    init(link: BlueZLink, id: AttributeID, path: String, isAlwaysOn: Bool) {
        self.isAlwaysOn = isAlwaysOn
        if isAlwaysOn { state = .signals }
        self.link = link
        self.id = id
        self.path = path
    }

    /// Starts or stops the values.
    func turn(_ isOn: Bool, _ completion: @escaping (Result<Void, RadioError>) -> Void) {
        if isAlwaysOn { return completion(.success(())) }
        if isOn { start(completion) } else { stop(completion) }
    }

    private var handle: UInt16 { UInt16(truncatingIfNeeded: id.rawValue) }
    private func received(_ value: ByteView) { link.subscriptions.received(value, of: id) }

    private func complete(_ result: Result<Void, RadioError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    // MARK: Stopping

    private func stop(_ completion: @escaping (Result<Void, RadioError>) -> Void) {
        self.completion = completion
        switch state {
        case .socket(let socket):
            state = .stopping
            patience.arm(at: link.loop.now + .seconds(2))
            socket.close()
        case .signals:
            state = .stopping
            takesSignals = false
            patience.arm(at: link.loop.now + .seconds(5))
            link.call(path, BlueZ.gattCharacteristic, "StopNotify") { [weak self] _ in self?.finishStop() }
        case .off, .starting, .stopping: complete(.success(()))
        }
    }

    private func finishStop() {
        guard case .stopping = state else { return }
        patience.disarm()
        state = .off
        complete(.success(()))
    }

    // MARK: Starting

    private func start(_ completion: @escaping (Result<Void, RadioError>) -> Void) {
        self.completion = completion
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
        refusals = 0
        complete(.success(()))
        if case .socket(let socket) = state { socket.drain() }
    }

    private func failed(_ error: RadioError) {
        guard case .starting = state else { return }
        state = .off
        takesSignals = false
        complete(.failure(error))
    }

    // MARK: Values

    /// Handles changed properties of the characteristic, such as a value where signals are used.
    func changed(_ properties: [String: BusValue]) {
        if takesSignals, let bytes = properties["Value"]?.bytes { bytes.withByteView { received($0) } }
        if case .stopping = state, properties["NotifyAcquired"]?.bool == false { finishStop() }
    }

    /// Handles the socket being closed by BlueZ: the link ends, or the device's attributes changed.
    private func socketEnded() {
        guard case .socket = state else { return }
        state = .off
        if link.isUp { link.subscriptions.interrupted(id) }
    }

    /// Handles that BlueZ has removed the object of the characteristic: no value arrives until ``renew()``.
    func objectRemoved() {
        guard !isAlwaysOn else { return }
        switch state {
        case .socket(let socket):
            state = .off
            socket.drain()
            socket.close()
        case .signals:
            state = .off
            takesSignals = false
        // BlueZ answers the request in progress.
        case .off, .starting, .stopping: break
        }
    }

    /// Subscribes again on the object that BlueZ has added in place of the removed one.
    func renew() {
        guard !isAlwaysOn, case .off = state else { return }
        link.subscriptions.interrupted(id)
    }

    /// Ends the subscription because the characteristic no longer exists.
    func remove() {
        link.subscriptions.end(id, .att(.invalidHandle, handle: handle))
        linkEnded()
    }

    /// Handles the end of the link: values still in the socket were received before it.
    func linkEnded() {
        if case .socket(let socket) = state { socket.drain() }
        if case .socket(let socket) = state { socket.close() }
        patience.disarm()
        state = .off
        takesSignals = false
        completion = nil
    }
}
