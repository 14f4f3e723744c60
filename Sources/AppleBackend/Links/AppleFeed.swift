import BluetoothBackend
import BluetoothModel

/// The notified values of one characteristic, for all subscribers. Confined to the loop.
final class AppleFeed {
    private enum State { case off, turningOn, on, turningOff }

    private var state = State.off
    private var receivers: [(id: OperationID, receive: (ByteView) -> Void)] = []
    private var starting: [LinkOperation<Void>] = []
    private var stopped: [(Result<Void, RadioError>) -> Void] = []
    /// Turns notifications on the device on or off; completes with its acknowledgement.
    private let turn: (Bool, @escaping (Result<Void, RadioError>) -> Void) -> Void

    init(turn: @escaping (Bool, @escaping (Result<Void, RadioError>) -> Void) -> Void) { self.turn = turn }

    /// Adds a subscriber. The receiver is attached before the device is asked to send.
    func subscribe(_ operation: LinkOperation<Void>, receive: @escaping (ByteView) -> Void) {
        receivers.append((operation.id, receive))
        operation.onAbandon = { [weak self, id = operation.id] in self?.unsubscribe(id) { _ in } }
        switch state {
        case .on: operation.complete(.success(()))
        case .turningOn, .turningOff: starting.append(operation)
        case .off:
            starting.append(operation)
            set(true)
        }
    }

    /// Ends one subscription; unsubscribes on the device with the last one.
    func unsubscribe(_ id: OperationID, completion: @escaping (Result<Void, RadioError>) -> Void) {
        receivers.removeAll { $0.id == id }
        guard receivers.isEmpty else { return completion(.success(())) }
        switch state {
        case .off: completion(.success(()))
        case .turningOn, .turningOff: stopped.append(completion)
        case .on:
            stopped.append(completion)
            set(false)
        }
    }

    private func set(_ isOn: Bool) {
        state = isOn ? .turningOn : .turningOff
        turn(isOn) { [weak self] in self?.turned(isOn, $0) }
    }

    private func turned(_ isOn: Bool, _ result: Result<Void, RadioError>) {
        guard isOn else {
            state = .off
            endStopped()
            if !receivers.isEmpty { set(true) }
            return
        }
        guard state == .turningOn else { return }
        let waiting = starting
        starting = []
        switch result {
        case .success:
            state = .on
            for operation in waiting { operation.complete(.success(())) }
            // The subscribers cancelled in the meantime.
            if receivers.isEmpty, state == .on { set(false) }
        case .failure(let error):
            state = .off
            receivers.removeAll { receiver in waiting.contains { $0.id == receiver.id } }
            for operation in waiting { operation.complete(.failure(error)) }
            endStopped()
        }
    }

    private func endStopped() {
        let waiting = stopped
        stopped = []
        for completion in waiting { completion(.success(())) }
    }

    func received(_ value: ByteView) {
        for receiver in receivers where receivers.contains(where: { $0.id == receiver.id }) { receiver.receive(value) }
    }

    /// Ends all subscriptions when the link ended or the characteristic was removed.
    func linkEnded() {
        state = .off
        receivers = []
        starting = []
        endStopped()
    }
}
