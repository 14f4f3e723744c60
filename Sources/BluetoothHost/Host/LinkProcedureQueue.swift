import BluetoothModel
import BluetoothRuntime
import DequeModule

/// Procedures of one kind on one link, one at a time: each ends with its event, a refusal, the link, or its time.
final class LinkProcedureQueue<Value> {
    typealias Completion = (Result<Value, RadioError>) -> Void

    private enum State {
        case idle
        case running(Completion)
    }

    /// More than this do not wait.
    private static var limit: Int { 64 }
    /// A peer's link layer has 40 s to answer (Core 6.0, Vol 6, Part B, 5.2).
    private static var patience: Duration { .seconds(45) }

    private var state = State.idle
    private var waiting: Deque<(start: () -> Void, completion: Completion)> = []
    private let time: HostTime
    private lazy var timer = time.timers.makeTimer { [unowned self] in finish(.failure(.timeout)) }

    init(time: HostTime) { self.time = time }

    /// Whether a procedure is under way.
    var isRunning: Bool { if case .running = state { true } else { false } }

    /// Runs `start` when it is its turn; whoever hears how that ended calls ``finish(_:)``.
    func run(start: @escaping () -> Void, completion: @escaping Completion) {
        guard waiting.count < Self.limit else {
            return completion(.failure(.limit("\(Self.limit) procedures wait on the link")))
        }
        waiting.append((start, completion))
        next()
    }

    /// Ends the procedure that is under way; false where there is none.
    @discardableResult
    func finish(_ result: Result<Value, RadioError>) -> Bool {
        guard case .running(let completion) = state else { return false }
        timer.disarm()
        state = .idle
        completion(result)
        next()
        return true
    }

    /// Ends all of them with `error`.
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
