import BluetoothModel
import DequeModule

/// The requests queued behind the one in flight: those of callers first, then the stack's background requests.
final class ATTRequestQueue {
    private var normal: Deque<ATTPendingRequest> = []
    private var background: Deque<ATTPendingRequest> = []
    /// The numbers of queued requests. Separate integers because every request reads them.
    private var normalCount = 0, backgroundCount = 0

    /// Returns true if no queued request would be sent before a new request of this lane.
    @inline(__always)
    func isEmpty(upTo lane: ATTOperation.Lane) -> Bool {
        normalCount == 0 && (lane == .normal || backgroundCount == 0)
    }

    /// Returns true if a queued request precedes the continuation of a procedure in this lane.
    func holdsUp(_ lane: ATTOperation.Lane) -> Bool { lane == .background && normalCount > 0 }

    func append(_ pending: ATTPendingRequest) {
        switch pending.operation.lane {
        case .normal: normal.append(pending)
        case .background: background.append(pending)
        }
        recount()
    }

    func prepend(_ pending: ATTPendingRequest) {
        switch pending.operation.lane {
        case .normal: normal.prepend(pending)
        case .background: background.prepend(pending)
        }
        recount()
    }

    func popFirst() -> ATTPendingRequest? {
        guard normalCount > 0 || backgroundCount > 0 else { return nil }
        defer { recount() }
        return normal.popFirst() ?? background.popFirst()
    }

    func remove(_ id: LinkOperationID) -> ATTPendingRequest? {
        defer { recount() }
        if let index = normal.firstIndex(where: { $0.operation.id == id }) { return normal.remove(at: index) }
        if let index = background.firstIndex(where: { $0.operation.id == id }) { return background.remove(at: index) }
        return nil
    }

    func removeAll() -> [ATTPendingRequest] {
        defer {
            normal = []
            background = []
            recount()
        }
        return Array(normal) + background
    }

    /// The queued operations, in the order in which they will be sent.
    var operations: [ATTOperation] { (normal + background).map(\.operation) }

    private func recount() {
        normalCount = normal.count
        backgroundCount = background.count
    }
}
