import BluetoothRuntime

/// Links that were established after their connections had been cancelled, and that are being disconnected. The
/// connections complete when their link is down.
final class RejectedLinks {
    private struct Entry {
        let handle: UInt16
        let connections: [PendingConnection]
        let deadline: RadioInstant
    }

    /// The time after which a link counts as down without an event. A link without its peer ends with its supervision
    /// timeout, which is at most 32 s (Core 6.0, volume 4, part E, 7.8.12).
    private static let patience = Duration.seconds(35)

    private let time: HostTime
    /// In the order of their deadlines.
    private var entries: [Entry] = []
    // Proof of `unowned`: only the host fires its timers, and it owns this object with the initiator.
    private lazy var timer = time.timers.makeTimer { [unowned self] in endOverdue() }

    init(_ time: HostTime) { self.time = time }

    /// The connections that complete when their link is down.
    var connections: [PendingConnection] { entries.flatMap(\.connections) }

    func add(_ handle: UInt16, _ connections: [PendingConnection]) {
        guard !connections.isEmpty else { return }
        entries.append(Entry(handle: handle, connections: connections, deadline: time.now + Self.patience))
        arm()
    }

    /// Handles a disconnection, which may be that of a rejected link.
    func disconnected(_ handle: UInt16) {
        guard let index = entries.firstIndex(where: { $0.handle == handle }) else { return }
        let ended = entries.remove(at: index)
        arm()
        end(ended)
    }

    /// Forgets all links, and returns their connections.
    func removeAll() -> [PendingConnection] {
        defer {
            entries = []
            arm()
        }
        return connections
    }

    private func arm() {
        if let first = entries.first { timer.arm(at: first.deadline) } else { timer.disarm() }
    }

    private func endOverdue() {
        let now = time.now
        let overdue = entries.prefix { $0.deadline <= now }
        entries.removeFirst(overdue.count)
        arm()
        for entry in overdue { end(entry) }
    }

    private func end(_ entry: Entry) {
        for connection in entry.connections { connection.end(.failure(.cancelled)) }
    }
}
