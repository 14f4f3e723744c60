import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Runs procedures of one kind on one link, one at a time. Each ends with its event, an error, its timeout, or the end
/// of the link.
final class LinkProcedureQueue<Value> {
    typealias Completion = (Result<Value, RadioError>) -> Void

    private enum State {
        case idle
        case running(Completion)
    }

    /// The maximum number of queued procedures.
    private static var limit: Int { 64 }
    /// The timeout of a procedure. The peer's link layer has 40 s to respond (Core 6.0, Vol 6, Part B, 5.2).
    private static var patience: Duration { .seconds(45) }

    private var state = State.idle
    private var waiting: Deque<(start: () -> Void, completion: Completion)> = []
    private let time: HostTime
    // Proof of `unowned`: the link owns the queue, and the host retains the link until it is closed, which disarms the
    // timer; a closed link runs no procedure.
    private lazy var timer = time.timers.makeTimer { [unowned self] in finish(.failure(.timeout)) }

    init(time: HostTime) { self.time = time }

    /// True while a procedure is running.
    var isRunning: Bool { if case .running = state { true } else { false } }

    /// Queues a procedure. `start` runs when it is next; ``finish(_:)`` must be called with its result.
    func run(start: @escaping () -> Void, completion: @escaping Completion) {
        guard waiting.count < Self.limit else {
            return completion(.failure(.limit("\(Self.limit) procedures are already queued on the link")))
        }
        waiting.append((start, completion))
        next()
    }

    /// Ends the running procedure; returns false if there is none.
    @discardableResult
    func finish(_ result: Result<Value, RadioError>) -> Bool {
        guard case .running(let completion) = state else { return false }
        timer.disarm()
        state = .idle
        completion(result)
        next()
        return true
    }

    /// Ends all procedures with `error`.
    func close(_ error: RadioError) {
        timer.disarm()
        var ended = waiting.map(\.completion)
        waiting = []
        if case .running(let completion) = state { ended.insert(completion, at: 0) }
        state = .idle
        for completion in ended { completion(.failure(error)) }
    }

    private func next() {
        guard case .idle = state, let first = waiting.popFirst() else { return }
        state = .running(first.completion)
        timer.arm(at: time.now + Self.patience)
        first.start()
    }
}
