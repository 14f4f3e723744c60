import Harald
import Synchronization

/// The events for one observer of the model: a sequence with a single consumer.
///
/// The queue is bounded. Pending updates of the same device replace each other. If the queue is full, the oldest event
/// is dropped, and ``ExplorerEvent/missed(_:)`` reports the number of dropped events before the next event. The
/// sequence ends when the model closes, or when its consumer is cancelled or released.
package struct ExplorerEvents: AsyncSequence, Sendable {
    package typealias Element = ExplorerEvent
    package typealias Failure = Never

    let queue: EventQueue
    private let lifetime: Lifetime

    init(queue: EventQueue) {
        self.queue = queue
        lifetime = Lifetime(queue: queue)
    }

    /// Creates the iterator.
    package func makeAsyncIterator() -> Iterator { Iterator(queue: queue, lifetime: lifetime) }

    /// Iterates over ``ExplorerEvents``.
    package struct Iterator: AsyncIteratorProtocol {
        let queue: EventQueue
        fileprivate let lifetime: Lifetime

        /// Returns the next event; nil after the model was closed or the task was cancelled.
        package mutating func next() async -> ExplorerEvent? { await queue.next() }

        /// Returns the next event; nil after the model was closed or the task was cancelled.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> ExplorerEvent? {
            await queue.next()
        }
    }

    fileprivate final class Lifetime: Sendable {
        let queue: EventQueue
        init(queue: EventQueue) { self.queue = queue }
        deinit { queue.finish() }
    }
}

/// The queue between the model, which pushes events, and one observer.
final class EventQueue: Sendable {
    private enum Item {
        case event(ExplorerEvent)
        /// The update of a device, stored in `updates`.
        case update(PeripheralID)
    }

    private struct State {
        var items: [Item] = []
        /// The index of the first pending item; earlier items were consumed.
        var head = 0
        var updates: [PeripheralID: ExplorerDevice] = [:]
        var missed = 0
        var waiting: CheckedContinuation<Void, Never>?
        var isFinished = false
    }

    /// The viewer whose pairing requests are delivered; nil for those of all viewers.
    let viewer: ViewerID?
    private let limit: Int
    private let state = Mutex(State())

    init(viewer: ViewerID?, limit: Int) {
        self.viewer = viewer
        self.limit = max(1, limit)
    }

    /// True when the observer has ended.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func push(_ event: ExplorerEvent) {
        if let viewer, case .pairing(let request) = event, request.viewer != viewer { return }
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished else { return nil }
            add(event, to: &state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    private func add(_ event: ExplorerEvent, to state: inout State) {
        switch event {
        case .device(let device):
            if state.updates.updateValue(device, forKey: device.id) != nil { return }
            state.items.append(.update(device.id))
        default: state.items.append(.event(event))
        }
        guard state.items.count - state.head > limit else { return }
        if case .update(let id) = state.items[state.head] { state.updates[id] = nil }
        state.head += 1
        state.missed += 1
        compact(&state)
    }

    private func compact(_ state: inout State) {
        guard state.head > 512, state.head * 2 > state.items.count else { return }
        state.items.removeFirst(state.head)
        state.head = 0
    }

    func next() async -> ExplorerEvent? {
        while true {
            let (event, isOver) = take()
            if let event { return event }
            if isOver || Task.isCancelled { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let waits = state.withLock { state in
                        guard state.items.count == state.head, state.missed == 0, !state.isFinished else {
                            return false
                        }
                        state.waiting = continuation
                        return true
                    }
                    if !waits { continuation.resume() }
                }
            } onCancel: {
                finish()
            }
        }
    }

    private func take() -> (ExplorerEvent?, isOver: Bool) {
        state.withLock { state in
            if state.missed > 0 {
                defer { state.missed = 0 }
                return (.missed(state.missed), false)
            }
            guard state.head < state.items.count else { return (nil, state.isFinished) }
            let item = state.items[state.head]
            state.head += 1
            compact(&state)
            switch item {
            case .event(let event): return (event, false)
            case .update(let id): return (state.updates.removeValue(forKey: id).map { .device($0) }, false)
            }
        }
    }

    /// Ends the sequence after the pending events.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}
