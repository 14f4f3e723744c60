import BluetoothModel
import Harald
import Synchronization
import VirtualDevices

/// Plays a recording: answers reads and writes in the recorded order, and sends the recorded values after the recorded
/// delays. It restarts when a central disconnects.
final class ReplayProgram: DeviceProgram {
    private struct State: Sendable {
        /// The number of reads of each characteristic.
        var reads: [BluetoothUUID: Int] = [:]
        /// The indices of the recorded writes that were played.
        var played: [BluetoothUUID: Set<Int>] = [:]
        var subscriptions: [BluetoothUUID: Int] = [:]
        /// The values that were written, for characteristics without recorded reads.
        var written: [BluetoothUUID: [UInt8]] = [:]
        var writeCount = 0
    }

    private let recording: Recording
    private let stage: DeviceStage
    private let state = Mutex(State())

    init(_ recording: Recording, stage: DeviceStage) { (self.recording, self.stage) = (recording, stage) }

    func read(_ characteristic: BluetoothUUID) async throws -> [UInt8]? {
        guard let answers = recording.reads[characteristic], !answers.isEmpty else {
            return state.withLock { $0.written[characteristic] }
        }
        let number = state.withLock { state in
            defer { state.reads[characteristic, default: 0] += 1 }
            return state.reads[characteristic] ?? 0
        }
        // The last recorded answer is repeated.
        switch answers[min(number, answers.count - 1)] {
        case .value(let bytes): return bytes
        case .error(let code): throw code
        case .done: return nil
        }
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        let writes = recording.writes[characteristic] ?? []
        let (index, number) = state.withLock { state -> (Int?, Int) in
            state.writeCount += 1
            state.written[characteristic] = value
            let played = state.played[characteristic] ?? []
            let fitting = writes.indices.filter { writes[$0].value == value }
            // After all recorded writes were played, they repeat from the first.
            let index = fitting.first { !played.contains($0) } ?? fitting.first
            if let index { state.played[characteristic, default: []].insert(index) }
            return (index, state.writeCount)
        }
        guard let index else { return true }
        if case .error(let code) = writes[index].answer { throw code }
        play(writes[index].sent, named: "write \(number)", to: central)
        return true
    }

    func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
        let streams = recording.streams[characteristic] ?? []
        guard !streams.isEmpty else { return }
        let number = state.withLock { state in
            defer { state.subscriptions[characteristic, default: 0] += 1 }
            return state.subscriptions[characteristic] ?? 0
        }
        play(streams[number % streams.count], named: "\(characteristic) \(central)", to: central)
    }

    func unsubscribed(_ central: PeripheralID, from characteristic: BluetoothUUID) async {
        stage.cancel("\(characteristic) \(central)")
    }

    func disconnected(_ central: PeripheralID) async {
        let count = state.withLock { state in
            defer { state = State() }
            return state.writeCount
        }
        for uuid in recording.streams.keys { stage.cancel("\(uuid) \(central)") }
        for number in stride(from: 1, through: count, by: 1) { stage.cancel("write \(number)") }
    }

    private func play(_ values: [Recording.Sent], named name: String, to central: PeripheralID) {
        guard !values.isEmpty else { return }
        let stage = stage
        stage.run(name) {
            let start = stage.elapsed
            for value in values {
                let rest = start + value.delay - stage.elapsed
                if rest > .zero { try await stage.wait(rest) }
                await stage.send(value.value, from: value.characteristic, to: central)
            }
        }
    }
}
