import BluetoothRuntime
import Harald

/// Implements the effect of writes to one characteristic.
struct WriteResponder: Sendable {
    let behaviour: WriteBehaviour
    let place: DeviceValues.Place
    /// The characteristic that sends the answers; nil if there are none.
    let answers: DeviceValues.Place?
    let values: DeviceValues
    let loop: RadioLoop
    /// Disconnects a central.
    let disconnect: @Sendable (PeripheralID) async -> Void

    func write(_ request: WriteRequest) async throws {
        let reply = behaviour.replies.first { $0.when.matches(request.value) }
        if let refusal = reply?.refusal { throw refusal }
        if behaviour.stores { values.store(request.value, at: place) }
        var messages: [[UInt8]] = []
        if behaviour.echoes { messages.append(request.value) }
        for template in [behaviour.notify, reply?.notify] {
            if var player = template.map({ ValuePlayer($0) }) { messages.append(player.bytes(at: .zero)) }
        }
        let (target, disconnects) = (answers.flatMap { values.published(at: $0) }, reply?.disconnects ?? false)
        guard !messages.isEmpty && target != nil || disconnects else { return }
        let (central, disconnect) = (request.central, disconnect)
        // Answer in a task of its own, so that the write response is not delayed.
        Task(executorPreference: loop) {
            for message in messages { try? await target?.update(message, for: central) }
            if disconnects { await disconnect(central) }
        }
    }
}
