import BluetoothModel
import DequeModule

/// The requests behind the one on the air: what was asked for, and the stack's own errands behind that.
final class ATTRequestQueue {
    private var normal: Deque<ATTPendingRequest> = []
    private var background: Deque<ATTPendingRequest> = []
    /// How many wait; plain values, for every request asks.
    private var normalCount = 0, backgroundCount = 0

    /// Whether a request of this lane would wait for another.
    @inline(__always)
    func isEmpty(upTo lane: ATTOperation.Lane) -> Bool {
        normalCount == 0 && (lane == .normal || backgroundCount == 0)
    }

    /// Whether anybody waits that goes before the continuation of a procedure in this lane.
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

    func remove(_ id: ATTOperationID) -> ATTPendingRequest? {
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

    /// The operations that wait, in the order of their turn.
    var operations: [ATTOperation] { (normal + background).map(\.operation) }

    private func recount() {
        normalCount = normal.count
        backgroundCount = background.count
    }
}
