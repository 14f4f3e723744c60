import BluetoothRuntime

/// One request to a device after another: BlueZ refuses a second one to a characteristic while the first runs.
final class RequestQueue {
    typealias Request = (_ done: @escaping () -> Void) -> Void

    private var waiting: [Request] = []
    private var isBusy = false
    /// More than this wait only where somebody does not wait for answers.
    static let softLimit = 16
    var hasRoom: Bool { waiting.count < Self.softLimit }
    /// Told when there is room again.
    var onRoom: (() -> Void)?

    /// Runs `request` when its turn comes; it calls `done` once BlueZ has answered, whoever still waits for that.
    func add(_ request: @escaping Request) {
        waiting.append(request)
        next()
    }

    private func next() {
        guard !isBusy, !waiting.isEmpty else { return }
        isBusy = true
        let hadRoom = hasRoom
        let request = waiting.removeFirst()
        if !hadRoom, hasRoom { onRoom?() }
        var isDone = false
        request { [weak self] in
            guard !isDone else { return }
            isDone = true
            self?.isBusy = false
            self?.next()
        }
    }

    /// Nothing that waits has its turn any more; it has been told by others.
    func clear() {
        waiting = []
        onRoom = nil
    }
}
