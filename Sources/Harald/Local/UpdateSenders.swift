import BluetoothBackend
import BluetoothRuntime

/// Updates that wait until the queues of all live subscribers have room, in order for each characteristic. Confined to
/// the loop.
final class UpdateSenders {
    /// The completion of a sender: after the queues have the value, or with the outcome for each subscriber.
    private enum Completion {
        case queued((Result<Void, RadioError>) -> Void)
        case outcomes((Result<[PeripheralID: Result<Void, RadioError>], RadioError>) -> Void)
    }

    private struct Waiting {
        var value: [UInt8]
        var attribute: AttributeID
        var centrals: [PeripheralID]?
        var completion: Completion
    }

    private var waiting: [Waiting] = []
    private var isSending = false
    /// Called for the first truncated value of each central and characteristic, with its length and that of the part.
    var onTruncation: (PeripheralID, AttributeID, _ length: Int, _ sent: Int) -> Void = { _, _, _, _ in }
    /// The centrals whose values of a characteristic were truncated.
    private var truncated: [AttributeID: Set<PeripheralID>] = [:]
    /// The length of a value that fits every packet.
    private static let alwaysFits = 20

    /// Passes a value to the device as soon as there is room.
    func send(
        _ value: [UInt8], of attribute: AttributeID, for centrals: [PeripheralID]?, on device: any LocalDevice,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let completion = Completion.queued(completion)
        add(Waiting(value: value, attribute: attribute, centrals: centrals, completion: completion), on: device)
    }

    /// Passes a value to the device as soon as there is room, and completes with the outcome for each subscriber.
    func sendEach(
        _ value: [UInt8], of attribute: AttributeID, for centrals: [PeripheralID]?, on device: any LocalDevice,
        completion: @escaping (Result<[PeripheralID: Result<Void, RadioError>], RadioError>) -> Void
    ) {
        let completion = Completion.outcomes(completion)
        add(Waiting(value: value, attribute: attribute, centrals: centrals, completion: completion), on: device)
    }

    private func add(_ update: Waiting, on device: any LocalDevice) {
        let isFirst = waiting.isEmpty || !waiting.contains { $0.attribute == update.attribute }
        guard isFirst, hasRoom(for: update, on: device) else { return waiting.append(update) }
        hand(update, to: device)
    }

    /// Passes pending updates to the device. To be called when there may be room again.
    func proceed(on device: any LocalDevice) {
        // A completion may call this method again: the loop below then continues with the pending senders.
        guard !isSending, !waiting.isEmpty else { return }
        isSending = true
        defer { isSending = false }
        let updates = waiting
        waiting = []
        var full: Set<AttributeID> = []
        for update in updates {
            if !full.contains(update.attribute), hasRoom(for: update, on: device) {
                hand(update, to: device)
            } else {
                full.insert(update.attribute)
                waiting.append(update)
            }
        }
    }

    /// Fails all pending updates.
    func end(_ error: RadioError) {
        let ended = waiting
        waiting = []
        for update in ended {
            switch update.completion {
            case .queued(let completion): completion(.failure(error))
            case .outcomes(let completion): completion(.failure(error))
            }
        }
    }

    private func hasRoom(for update: Waiting, on device: any LocalDevice) -> Bool {
        device.updateRoom(of: update.attribute, for: update.centrals, wanted: 1, waitsForStalled: false) > 0
    }

    private func tellTruncation(of update: Waiting, on device: any LocalDevice) {
        guard update.value.count > Self.alwaysFits else { return }
        let subscribers = device.subscribers(of: update.attribute)
        for central in subscribers where update.centrals?.contains(central) ?? true {
            let sent = device.maximumUpdateLength(for: central)
            guard sent < update.value.count, truncated[update.attribute, default: []].insert(central).inserted
            else { continue }
            onTruncation(central, update.attribute, update.value.count, sent)
        }
    }

    /// Forgets a central that is no longer connected.
    func forget(_ central: PeripheralID) {
        for attribute in truncated.keys { truncated[attribute]?.remove(central) }
    }

    private func hand(_ update: Waiting, to device: any LocalDevice) {
        tellTruncation(of: update, on: device)
        switch update.completion {
        case .queued(let completion): hand(update, to: device, completion)
        case .outcomes(let completion):
            device.updateEach(update.value, of: update.attribute, for: update.centrals) { completion(.success($0)) }
        }
    }

    private func hand(
        _ update: Waiting, to device: any LocalDevice, _ completion: (Result<Void, RadioError>) -> Void
    ) {
        var refusal: RadioError?
        var isHandedOver = false
        device.update(update.value, of: update.attribute, for: update.centrals) { result in
            guard !isHandedOver, case .failure(let error) = result else { return }
            refusal = error
        }
        isHandedOver = true
        // A value dropped later is counted and is no error of the sender. An immediate refusal for another reason than
        // a full queue or an ended link is one.
        switch refusal {
        case nil, .limit, .disconnected, .notConnected: completion(.success(()))
        case .some(let error): completion(.failure(error))
        }
    }
}
