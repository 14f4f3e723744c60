import BluetoothRuntime

/// Serializes the requests to a device: BlueZ refuses a second one to a characteristic while the first runs.
final class RequestQueue {
    typealias Request = (_ done: @escaping () -> Void) -> Void

    private var waiting: [Request] = []
    private var isBusy = false
    /// Number of pending requests above which a caller should wait.
    static let softLimit = 16
    var hasRoom: Bool { waiting.count < Self.softLimit }
    /// Called when there is room again.
    var onRoom: (() -> Void)?

    /// Runs `request` when it is the first; `request` calls `done` once BlueZ has answered, even if its caller no
    /// longer waits.
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

    /// Removes all pending requests, whose callers are completed elsewhere.
    func clear() {
        waiting = []
        onRoom = nil
    }
}
