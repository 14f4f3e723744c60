import NIOCore
import Synchronization

/// Delivers events to every open stream of a server (server-sent events).
///
/// ``publish(_:data:audience:)`` delivers each event. ``publishNewest(_:key:data:)`` delivers the latest event of a
/// key, at most four per second, for lists that change faster than a person can read. Neither waits for a client. A
/// client that is slow, or reconnects, continues from its position and is notified of the number of events it missed.
package final class EventHub: Sendable {
    /// The configuration of a hub.
    package struct Configuration: Sendable {
        /// The number of events that are kept for slow and returning clients.
        package var history = 4096
        /// The size of the events that are kept, in octets.
        package var historyBytes = 4 << 20
        /// The minimum time between two events of one key.
        package var interval = Duration.milliseconds(250)
        /// The time after which an idle stream carries a comment, so that both ends detect a lost connection.
        package var keepAlive = Duration.seconds(10)
        /// The maximum number of keys with a pending event. Beyond it, pending events are sent at once.
        package var pending = 8192

        /// Creates the default configuration.
        package init() {}
    }

    /// Exact counters since the start.
    package struct Counters: Hashable, Sendable {
        /// The number of open streams.
        package var streams = 0
        /// The number of published events.
        package var published: UInt64 = 0
        /// The number of events replaced by a newer one of their key before they were sent.
        package var replaced: UInt64 = 0
        /// The number of missed events that were reported to clients.
        package var missed: UInt64 = 0
    }

    struct Pending: Hashable {
        let name: String
        let key: String
    }

    private struct State {
        var log: EventLog
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The viewers of the open streams.
        var streams: [Int: String] = [:]
        /// The sessions that ended last: a stream that one of them still opens ends at once.
        var endedSessions: [String] = []
        var places = 0
        var lastStream = 0
        var pending: [Pending: @Sendable () -> String?] = [:]
        var order: [Pending] = []
        var viewers: [String: Int] = [:]
        var isFlushPlanned = false
        var isClosed = false
        var counters = Counters()
    }

    /// The part of event identifiers that differs between two starts of the server.
    package let boot: String
    private let configuration: Configuration
    private let sleep: @Sendable (Duration) async -> Void
    private let state: Mutex<State>
    /// Held while pending events are encoded and appended, so that an older value never follows a newer one.
    private let flushing = Mutex(())
    private let sessionEnded: @Sendable (_ session: String) -> Void
    private let viewerChanged: @Sendable (_ viewer: String, _ isOpen: Bool) -> Void

    /// Creates a hub.
    ///
    /// - Parameters:
    ///   - sleep: suspends for a duration; replaced in tests.
    ///   - sessionEnded: called after the streams of a session were ended.
    ///   - viewerChanged: called after the first stream of a viewer has opened and after its last one has closed.
    package init(
        configuration: Configuration = Configuration(),
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        sessionEnded: @escaping @Sendable (_ session: String) -> Void = { _ in },
        viewerChanged: @escaping @Sendable (_ viewer: String, _ isOpen: Bool) -> Void = { _, _ in }
    ) {
        self.sessionEnded = sessionEnded
        boot = RandomToken.base64URL(RandomToken.bytes(6)).replacing("-", with: "a").replacing("_", with: "b")
        self.configuration = configuration
        self.sleep = sleep
        self.viewerChanged = viewerChanged
        let log = EventLog(boot: boot, limit: configuration.history, byteLimit: configuration.historyBytes)
        state = Mutex(State(log: log))
    }

    /// Exact counters since the start.
    package var counters: Counters {
        state.withLock {
            var counters = $0.counters
            counters.streams = $0.streams.count
            return counters
        }
    }

    /// Delivers an event to all streams, or to those of one viewer.
    ///
    /// - Parameters:
    ///   - data: one line of JSON.
    ///   - audience: the key of the viewer; `nil` for all.
    /// - Returns: the sequence number.
    @discardableResult
    package func publish(_ name: String, data: String, audience: String? = nil) -> UInt64 {
        let (sequence, waiting) = state.withLock { state in
            state.counters.published += 1
            let sequence = state.log.append(name, key: nil, data: data, audience: audience)
            return (sequence, Self.signal(&state))
        }
        for continuation in waiting { continuation.resume() }
        return sequence
    }

    /// Delivers the latest event of a key to all streams, at most four per second.
    ///
    /// - Parameter data: returns one line of JSON when the event is sent; `nil` sends nothing.
    package func publishNewest(_ name: String, key: String, data: @escaping @Sendable () -> String?) {
        let entry = Pending(name: name, key: key)
        let plan = state.withLock { state in
            state.counters.published += 1
            if state.pending.updateValue(data, forKey: entry) == nil {
                state.order.append(entry)
            } else {
                state.counters.replaced += 1
            }
            guard !state.isFlushPlanned else {
                return (isFirst: false, isFull: state.order.count > configuration.pending)
            }
            state.isFlushPlanned = true
            return (isFirst: true, isFull: false)
        }
        if plan.isFull { flush() }
        guard plan.isFirst else { return }
        Task {
            // The first event is sent at once; later ones wait.
            while flush() { await sleep(configuration.interval) }
        }
    }

    /// Sends pending events. Returns `false` if there were none: then no flush is scheduled any more.
    @discardableResult
    private func flush() -> Bool { flushing.withLock { _ in flushInOrder() } }

    private func flushInOrder() -> Bool {
        let taken = state.withLock { state in
            let taken = state.order.map { ($0, state.pending[$0]) }
            state.order = []
            state.pending = [:]
            if taken.isEmpty || state.isClosed { state.isFlushPlanned = false }
            return taken
        }
        guard !taken.isEmpty else { return false }
        // Outside the lock, because encoding the data takes time.
        let made = taken.compactMap { entry, data in data?().map { (entry, $0) } }
        let (isClosed, waiting) = state.withLock { state in
            for (entry, data) in made {
                _ = state.log.append(entry.name, key: entry.key, data: data, audience: nil)
            }
            return (state.isClosed, Self.signal(&state))
        }
        for continuation in waiting { continuation.resume() }
        return !isClosed
    }

    /// Ends all streams.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return Self.signal(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends the streams of a session: those of its viewers, `SESSION/NAME`.
    func endSession(_ session: String) {
        let waiting = state.withLock { state in
            state.endedSessions = state.endedSessions.suffix(255) + [session]
            let ended = state.streams.filter { Self.belongs($0.value, to: session) }.map(\.key)
            for stream in ended { state.streams[stream] = nil }
            return ended.compactMap { state.waiting.removeValue(forKey: $0) }
        }
        for continuation in waiting { continuation.resume() }
        sessionEnded(session)
    }

    private static func belongs(_ viewer: String, to session: String) -> Bool {
        viewer == session || viewer.hasPrefix(session + "/")
    }

    private static func signal(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
    }
}

// MARK: - Streams

extension EventHub {
    /// A stream that is open or will be, until the last reference is released.
    final class Place: Sendable {
        private let hub: EventHub
        fileprivate init(_ hub: EventHub) { self.hub = hub }
        deinit { hub.state.withLock { $0.places -= 1 } }
    }

    /// Takes a place for a stream. `nil` if all are taken.
    func takePlace(limit: Int) -> Place? {
        let isFree = state.withLock { state in
            guard state.places < limit else { return false }
            state.places += 1
            return true
        }
        return isFree ? Place(self) : nil
    }

    /// The number of open streams.
    var streamCount: Int { state.withLock { $0.streams.count } }

    /// Opens a stream. Returns its number, and the position to read from.
    func open(viewer: String, lastEventID: String?) -> (stream: Int, cursor: EventLog.Cursor, isUnknown: Bool) {
        let opened = state.withLock { state in
            state.lastStream += 1
            if !state.endedSessions.contains(where: { Self.belongs(viewer, to: $0) }) {
                state.streams[state.lastStream] = viewer
            }
            state.viewers[viewer, default: 0] += 1
            let isFirst = state.viewers[viewer] == 1
            guard let lastEventID, !lastEventID.isEmpty else {
                return (state.lastStream, state.log.end, false, isFirst)
            }
            guard let cursor = state.log.cursor(after: lastEventID) else {
                return (state.lastStream, state.log.start, true, isFirst)
            }
            return (state.lastStream, cursor, false, isFirst)
        }
        if opened.3 { viewerChanged(viewer, true) }
        return (opened.0, opened.1, opened.2)
    }

    func close(stream: Int, viewer: String) {
        let (isLast, waiting) = state.withLock { state in
            state.streams[stream] = nil
            let count = (state.viewers[viewer] ?? 1) - 1
            state.viewers[viewer] = count == 0 ? nil : count
            return (count == 0, state.waiting.removeValue(forKey: stream))
        }
        waiting?.resume()
        if isLast { viewerChanged(viewer, false) }
    }

    /// Reads events after the position. `nil` if there are none.
    func read(_ cursor: inout EventLog.Cursor, viewer: String) -> EventLog.Batch? {
        let (batch, position) = state.withLock { state in
            var position = cursor
            let batch = state.log.read(&position, audience: viewer, size: 16 << 10)
            state.counters.missed += batch?.missed ?? 0
            return (batch, position)
        }
        cursor = position
        return batch
    }

    /// Waits until there are events after the position, or ``wake(stream:)`` is called. Returns `false` when the stream
    /// ends.
    func wait(stream: Int, at cursor: EventLog.Cursor) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.log.end.sequence != cursor.sequence || state.isClosed || Task.isCancelled
                        || state.streams[stream] == nil
                    {
                        return true
                    }
                    state.waiting[stream] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            wake(stream: stream)
        }
        return !Task.isCancelled && state.withLock { !$0.isClosed && $0.streams[stream] != nil }
    }

    /// Makes ``wait(stream:at:)`` return.
    func wake(stream: Int) { state.withLock { $0.waiting.removeValue(forKey: stream) }?.resume() }

    var keepAlive: Duration { configuration.keepAlive }

    func pause(_ duration: Duration) async { await sleep(duration) }
}
