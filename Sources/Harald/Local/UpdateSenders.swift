import BluetoothBackend
import BluetoothRuntime

/// Updates that wait until the queues of all live subscribers have room, in their order for each characteristic. Confined
/// to the loop.
final class UpdateSenders {
    private struct Waiting {
        var value: [UInt8]
        var attribute: AttributeID
        var centrals: [PeripheralID]?
        var completion: (Result<Void, RadioError>) -> Void
    }

    private var waiting: [Waiting] = []
    private var isSending = false

    /// Hands a value over as soon as there is room.
    func send(
        _ value: [UInt8], of attribute: AttributeID, for centrals: [PeripheralID]?, on device: any LocalDevice,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let update = Waiting(value: value, attribute: attribute, centrals: centrals, completion: completion)
        let isFirst = waiting.isEmpty || !waiting.contains { $0.attribute == attribute }
        guard isFirst, hasRoom(for: update, on: device) else { return waiting.append(update) }
        hand(update, to: device)
    }

    /// There may be room again.
    func proceed(on device: any LocalDevice) {
        // A completion may lead back here: the loop below goes on with what it finds.
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

    /// Nothing is sent any more.
    func end(_ error: RadioError) {
        let ended = waiting
        waiting = []
        for update in ended { update.completion(.failure(error)) }
    }

    private func hasRoom(for update: Waiting, on device: any LocalDevice) -> Bool {
        device.updateRoom(of: update.attribute, for: update.centrals, wanted: 1) > 0
    }

    private func hand(_ update: Waiting, to device: any LocalDevice) {
        var refusal: RadioError?
        var isHandedOver = false
        device.update(update.value, of: update.attribute, for: update.centrals) { result in
            guard !isHandedOver, case .failure(let error) = result else { return }
            refusal = error
        }
        isHandedOver = true
        // What becomes of the value later is counted, and no error of the sender; what was refused at once for another
        // reason than a full queue is one.
        switch refusal {
        case nil, .limit, .disconnected, .notConnected: update.completion(.success(()))
        case .some(let error): update.completion(.failure(error))
        }
    }
}
