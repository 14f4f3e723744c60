import BluetoothBackend
import BluetoothRuntime

/// Updates that wait until the queues of all live subscribers have room, in order for each characteristic. Confined to
/// the loop.
final class UpdateSenders {
    private struct Waiting {
        var value: [UInt8]
        var attribute: AttributeID
        var centrals: [PeripheralID]?
        var completion: (Result<Void, RadioError>) -> Void
    }

    private var waiting: [Waiting] = []
    private var isSending = false

    /// Passes a value to the device as soon as there is room.
    func send(
        _ value: [UInt8], of attribute: AttributeID, for centrals: [PeripheralID]?, on device: any LocalDevice,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let update = Waiting(value: value, attribute: attribute, centrals: centrals, completion: completion)
        let isFirst = waiting.isEmpty || !waiting.contains { $0.attribute == attribute }
        guard isFirst, hasRoom(for: update, on: device) else { return waiting.append(update) }
        hand(update, to: device)
    }

    /// Passes pending updates to the device. To be called when there may be room again.
    func proceed(on device: any LocalDevice) {
        // A completion may call this again: the loop below continues with what is pending.
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
        // A value dropped later is counted and is no error of the sender. An immediate refusal for another reason than
        // a full queue or an ended link is one.
        switch refusal {
        case nil, .limit, .disconnected, .notConnected: update.completion(.success(()))
        case .some(let error): update.completion(.failure(error))
        }
    }
}
