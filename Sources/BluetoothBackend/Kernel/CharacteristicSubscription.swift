import BluetoothModel
import BluetoothRuntime

/// The subscription to one characteristic of a device, with its counted consumers: the device is asked to send with the
/// first of them, and to stop with the last. Confined to the loop.
package final class CharacteristicSubscription {
    /// Asks the device to send, or to stop; completes with its acknowledgement.
    package typealias Switch = (_ isOn: Bool, _ completion: @escaping (Result<Void, RadioError>) -> Void) -> Void

    private enum State { case off, turningOn, on, turningOff }

    private var state: State
    private var consumers: [(id: OperationID, receive: (ByteView) -> Void)] = []
    private var starting: [LinkOperation<Void>] = []
    private let stopped = WaitingCallers<Result<Void, RadioError>>()
    private let turn: Switch
    /// True if the values arrive without a subscription.
    private let isAlwaysOn: Bool
    /// Called when the values of established consumers have stopped, and the device could not be asked again.
    package var onLoss: ((RadioError) -> Void)?

    /// Creates a subscription that is off, unless the values arrive without one.
    package init(isAlwaysOn: Bool = false, turn: @escaping Switch) {
        self.isAlwaysOn = isAlwaysOn
        self.turn = turn
        state = isAlwaysOn ? .on : .off
    }

    /// Adds a consumer. It is attached before the device is asked to send.
    package func subscribe(_ operation: LinkOperation<Void>, receive: @escaping (ByteView) -> Void) {
        consumers.append((operation.id, receive))
        operation.onAbandon = { [weak self, id = operation.id] in self?.unsubscribe(id) { _ in } }
        switch state {
        case .on: operation.complete(.success(()))
        case .turningOn, .turningOff: starting.append(operation)
        case .off:
            starting.append(operation)
            set(true)
        }
    }

    /// Removes a consumer; with the last one the device is asked to stop, and the call completes when it does.
    package func unsubscribe(_ id: OperationID, completion: @escaping (Result<Void, RadioError>) -> Void) {
        consumers.removeAll { $0.id == id }
        guard consumers.isEmpty, !isAlwaysOn else { return completion(.success(())) }
        switch state {
        case .off: completion(.success(()))
        case .turningOn, .turningOff: stopped.add(completion)
        case .on:
            stopped.add(completion)
            set(false)
        }
    }

    private func set(_ isOn: Bool) {
        state = isOn ? .turningOn : .turningOff
        turn(isOn) { [weak self] in self?.turned(isOn, $0) }
    }

    private func turned(_ isOn: Bool, _ result: Result<Void, RadioError>) {
        switch (state, isOn) {
        case (.turningOn, true): turnedOn(result)
        case (.turningOff, false):
            state = .off
            stopped.resume(.success(()))
            // A consumer was added in the meantime.
            if !consumers.isEmpty, state == .off { set(true) }
        // The link ended in the meantime.
        default: break
        }
    }

    private func turnedOn(_ result: Result<Void, RadioError>) {
        let waiting = starting
        starting = []
        switch result {
        case .success:
            state = .on
            for operation in waiting { operation.complete(.success(())) }
            guard state == .on else { return }
            // Without a consumer, all of them cancelled in the meantime.
            if consumers.isEmpty { set(false) } else { stopped.resume(.success(())) }
        case .failure(let error):
            state = .off
            consumers.removeAll { consumer in waiting.contains { $0.id == consumer.id } }
            for operation in waiting { operation.complete(.failure(error)) }
            stopped.resume(.success(()))
            // The remaining consumers were subscribed before.
            if !consumers.isEmpty, state == .off { onLoss?(error) }
        }
    }

    /// Delivers a value to each consumer that is not removed meanwhile.
    package func received(_ value: ByteView) {
        for consumer in consumers where consumers.contains(where: { $0.id == consumer.id }) { consumer.receive(value) }
    }

    /// Handles that the values stopped by themselves, on a link that continues: the remaining consumers are subscribed
    /// again. Where that fails, ``onLoss`` is called, and this method may be called again.
    package func interrupted() {
        guard state == .on || state == .off else { return }
        state = .off
        if !consumers.isEmpty { set(true) }
    }

    /// Ends the subscription because the link ended or the characteristic was removed.
    package func linkEnded() {
        state = .off
        consumers = []
        starting = []
        stopped.resume(.success(()))
    }
}
