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
///
/// What the consumer runs is inlinable: a client's compiler knows the element, and one that does not would ask the
/// runtime for a dozen types for each of them.
@usableFromInline
final class StreamBuffer<Element: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var elements = Deque<Element>()
        /// Resumed by whoever takes it out, so once; the consumer then looks again.
        @usableFromInline var waiting: UnsafeContinuation<Void, Never>?
        @usableFromInline var end: Result<Void, BluetoothError>?
        var dropped = 0
        var onTermination: [@Sendable () -> Void] = []
    }

    @usableFromInline let state = Mutex(State())
    /// What the consumer has taken out and not got yet: it comes for several at a time, so that the two sides seldom wait for
    /// each other's lock. Nobody waits for this one.
    @usableFromInline let taken = Mutex(Deque<Element>())
    @usableFromInline let batch: Int
    private let policy: BufferingPolicy

    init(policy: BufferingPolicy) {
        self.policy = policy
        switch policy {
        // A small part is not counted any more.
        case .oldest(let limit): batch = min(max(limit / 16, 1), 256)
        // What is taken out could not be dropped for what is newer.
        case .newest: batch = 1
        }
    }

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

    func push(_ element: Element) { push(contentsOf: CollectionOfOne(element)) }

    /// Several at once: one lock, and the consumer wakes once.
    func push(contentsOf elements: some Collection<Element>) {
        let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            for element in elements { keep(element, in: &state) }
            guard let waiting = state.waiting, !state.elements.isEmpty else { return nil }
            state.waiting = nil
            return waiting
        }
        waiting?.resume()
    }

    private func keep(_ element: Element, in state: inout State) {
        // Whoever waits takes one at once, so the first is no overflow.
        let takesOne = state.waiting != nil && state.elements.isEmpty
        switch policy {
        case .oldest(let limit) where state.elements.count >= limit && !takesOne:
            state.dropped += 1
            return
        case .newest(let limit) where state.elements.count >= limit && !takesOne:
            if state.elements.popFirst() != nil { state.dropped += 1 }
        case .oldest, .newest: break
        }
        state.elements.append(element)
    }

    /// Ends the stream: what is buffered is delivered first. Only the first end counts.
    func finish(_ error: BluetoothError? = nil) {
        let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            state.onTermination = []
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// The consumer is gone: nothing more is delivered, and the producer is told.
    @usableFromInline
    func terminate() {
        let (waiting, bodies) = state.withLock { state in
            defer {
                state.waiting = nil
                state.onTermination = []
                state.elements.removeAll()
                state.end = .success(())
            }
            return (state.waiting, state.onTermination)
        }
        taken.withLock { $0.removeAll() }
        waiting?.resume()
        for body in bodies { body() }
    }

    @inlinable
    func next() async throws(BluetoothError) -> Element? {
        while true {
            if let ready = ready() { return try ready.get() }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                    if !waits(continuation) { continuation.resume() }
                }
            } onCancel: {
                terminate()
            }
        }
    }

    /// What the consumer gets now: an element, or the end; nil where it has to wait.
    @inlinable
    func ready() -> Result<Element?, BluetoothError>? {
        if let element = taken.withLock({ $0.popFirst() }) { return .success(element) }
        return state.withLock { state -> Result<Element?, BluetoothError>? in
            if let element = state.elements.popFirst() {
                taken.withLock { taken in
                    while taken.count < batch - 1, let next = state.elements.popFirst() { taken.append(next) }
                }
                return .success(element)
            }
            guard let end = state.end else { return nil }
            // An error is delivered once; afterwards the stream is simply over.
            state.end = .success(())
            return end.map { nil }
        }
    }

    /// Keeps the consumer's continuation; false where there is something for it after all.
    @inlinable
    func waits(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            guard state.elements.isEmpty, state.end == nil else { return false }
            precondition(state.waiting == nil, "one stream has one consumer: ask for a stream of its own")
            state.waiting = continuation
            return true
        }
    }
}
