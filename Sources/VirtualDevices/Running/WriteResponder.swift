import BluetoothRuntime
import Harald

/// Does what a device file says about writes to one characteristic.
struct WriteResponder: Sendable {
    let behaviour: WriteBehaviour
    let place: DeviceValues.Place
    /// Where answers come from; nil where there are none.
    let answers: DeviceValues.Place?
    let values: DeviceValues
    let loop: RadioLoop
    /// Ends the link to a central.
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
        // The response to the write does not wait for the answers.
        Task(executorPreference: loop) {
            for message in messages { try? await target?.update(message, for: central) }
            if disconnects { await disconnect(central) }
        }
    }
}
