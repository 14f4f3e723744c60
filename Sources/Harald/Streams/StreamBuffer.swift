import DequeModule
import Synchronization

/// What a stream does when its consumer is slower than the air.
public enum BufferingPolicy: Hashable, Sendable {
    /// Keeps the first elements, drops and counts the later ones.
    case oldest(Int)
    /// Keeps the last elements, drops and counts the earlier ones.
    case newest(Int)
}

/// The queue between the loop, which pushes, and one consumer, which awaits.
final class StreamBuffer<Element: Sendable>: Sendable {
    private struct State {
        var elements = Deque<Element>()
        var waiting: CheckedContinuation<Result<Element?, BluetoothError>, Never>?
        var end: Result<Void, BluetoothError>?
        var dropped = 0
        var onTermination: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let policy: BufferingPolicy

    init(policy: BufferingPolicy) { self.policy = policy }

    deinit { terminate() }

    /// How many elements a full buffer has dropped.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Called once, when nobody consumes any more, together with what was given before.
    func onTermination(_ body: @escaping @Sendable () -> Void) {
        let ended = state.withLock { state in
            guard state.end == nil else { return true }
            state.onTermination.append(body)
            return false
        }
        if ended { body() }
    }

    func push(_ element: Element) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Element?, BluetoothError>, Never>? in
            guard state.end == nil else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            switch policy {
            case .oldest(let limit):
                if state.elements.count < limit { state.elements.append(element) } else { state.dropped += 1 }
            case .newest(let limit):
                if state.elements.count >= limit, state.elements.popFirst() != nil { state.dropped += 1 }
                state.elements.append(element)
            }
            return nil
        }
        waiting?.resume(returning: .success(element))
    }

    /// Ends the stream: what is buffered is delivered first. Only the first end counts.
    func finish(_ error: BluetoothError? = nil) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Element?, BluetoothError>, Never>? in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            state.onTermination = []
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    }

    /// The consumer is gone: nothing more is delivered, and the producer is told.
    func terminate() {
        let (waiting, bodies) = state.withLock { state in
            defer {
                state.waiting = nil
                state.onTermination = []
                state.elements.removeAll()
                state.end = state.end ?? .success(())
            }
            return (state.waiting, state.onTermination)
        }
        waiting?.resume(returning: .success(nil))
        for body in bodies { body() }
    }

    func next() async throws(BluetoothError) -> Element? {
        if let ready = ready() { return try ready.get() }
        let result: Result<Element?, BluetoothError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Result<Element?, BluetoothError>? in
                    if let ready = Self.take(&state) { return ready }
                    precondition(state.waiting == nil, "one stream has one consumer: ask for a stream of its own")
                    state.waiting = continuation
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            terminate()
        }
        return try result.get()
    }

    private func ready() -> Result<Element?, BluetoothError>? { state.withLock { Self.take(&$0) } }

    private static func take(_ state: inout State) -> Result<Element?, BluetoothError>? {
        if let element = state.elements.popFirst() { return .success(element) }
        guard let end = state.end else { return nil }
        // An error is delivered once; afterwards the stream is simply over.
        state.end = .success(())
        return end.map { nil }
    }
}
