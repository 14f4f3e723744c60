import DequeModule
import Synchronization

/// The policy of a stream whose consumer is slower than its producer.
public enum BufferingPolicy: Hashable, Sendable {
    /// Keeps the first elements, drops and counts the later ones.
    case oldest(Int)
    /// Keeps the last elements, drops and counts the earlier ones.
    case newest(Int)
}

/// Receives the numbers of elements that a full buffer dropped: by one push, and in total.
typealias StreamDropHandler = @Sendable (_ more: Int, _ total: Int) -> Void

/// The queue between the loop, which pushes, and one consumer, which awaits.
///
/// The consumer's code is inlinable: the compiler of the client knows the element type; unspecialized code would look
/// up a dozen types in the runtime for each element.
@usableFromInline
final class StreamBuffer<Element: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var elements = Deque<Element>()
        /// The consumer's continuation. The side that takes it out, under the lock, resumes it, so it is resumed once;
        /// the consumer then checks the buffer again.
        @usableFromInline var waiting: UnsafeContinuation<Void, Never>?
        @usableFromInline var end: Result<Void, BluetoothError>?
        var dropped = 0
        var onTermination: [@Sendable () -> Void] = []
    }

    @usableFromInline let state = Mutex(State())
    /// The elements that the consumer has taken out of the state in one batch and not yet returned, so that the two
    /// sides seldom contend for the state's lock. This lock is uncontended.
    @usableFromInline let taken = Mutex(Deque<Element>())
    @usableFromInline let batch: Int
    private let policy: BufferingPolicy
    private let onDrop: StreamDropHandler?

    init(policy: BufferingPolicy, onDrop: StreamDropHandler? = nil) {
        self.policy = policy
        self.onDrop = onDrop
        switch policy {
        // Elements taken out no longer count towards the limit; a batch is at most a small part of it.
        case .oldest(let limit): batch = min(max(limit / 16, 1), 256)
        // Elements taken out could not be dropped in favour of newer ones.
        case .newest: batch = 1
        }
    }

    deinit { terminate() }

    /// The number of elements that a full buffer has dropped.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Adds a closure that is called once: when the consumer is released, or immediately if the stream has ended.
    func onTermination(_ body: @escaping @Sendable () -> Void) {
        let ended = state.withLock { state in
            guard state.end == nil else { return true }
            state.onTermination.append(body)
            return false
        }
        if ended { body() }
    }

    func push(_ element: Element) { push(contentsOf: CollectionOfOne(element)) }

    /// Pushes several elements: takes the lock once and wakes the consumer once.
    func push(contentsOf elements: some Collection<Element>) {
        var (dropped, total) = (0, 0)
        let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.end == nil else { return nil }
            let before = state.dropped
            for element in elements { keep(element, in: &state) }
            (dropped, total) = (state.dropped - before, state.dropped)
            guard let waiting = state.waiting, !state.elements.isEmpty else { return nil }
            state.waiting = nil
            return waiting
        }
        waiting?.resume()
        if dropped > 0 { onDrop?(dropped, total) }
    }

    private func keep(_ element: Element, in state: inout State) {
        // A waiting consumer takes one element at once, so the first is no overflow.
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

    /// Ends the stream and calls the termination closures: a stream of several sources that one of them ends has to end
    /// the others. Buffered elements are delivered first. Only the first call has an effect.
    func finish(_ error: BluetoothError? = nil) {
        let (waiting, bodies) = state.withLock { state -> (UnsafeContinuation<Void, Never>?, [@Sendable () -> Void]) in
            guard state.end == nil else { return (nil, []) }
            state.end = error.map { .failure($0) } ?? .success(())
            defer {
                state.waiting = nil
                state.onTermination = []
            }
            return (state.waiting, state.onTermination)
        }
        waiting?.resume()
        for body in bodies { body() }
    }

    /// Ends the stream when the consumer is released: discards the elements and calls the termination closures.
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

    /// Returns the next element, or the end; nil if the consumer has to wait.
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

    /// Stores the consumer's continuation. Returns false if an element or the end is available after all.
    @inlinable
    func waits(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            guard state.elements.isEmpty, state.end == nil else { return false }
            precondition(
                state.waiting == nil, "a stream has one consumer: create another stream for each further consumer")
            state.waiting = continuation
            return true
        }
    }
}
