#if Programs
import NIOCore
import Synchronization

/// The open connections of a server with the requests in progress, and their orderly end.
final class OpenConnections: Sendable {
    /// Asks a connection to end after its response, or at once if its client keeps the server waiting.
    struct Displaced {}

    private struct Connection {
        let channel: any Channel
        let waiting: ConnectionDeadline.Start
        var isDisplaced = false
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// The number of requests in progress. A request may last longer than its connection.
        var requests = 0
        var isEnding = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let full = Atomic(false)

    /// True while new connections wait for the end of others. Connections end after their response then.
    var isFull: Bool { full.load(ordering: .relaxed) }

    func setFull(_ isFull: Bool) { full.store(isFull, ordering: .relaxed) }

    /// Ends the connection whose client has kept the server waiting longest. Returns false if there is none with at
    /// least that time.
    func displace(after patience: TimeAmount) -> Bool {
        let latest = NIODeadline.now() - patience
        let channel = state.withLock { state -> (any Channel)? in
            let waiting = state.connections.lazy.compactMap { id, connection in
                connection.isDisplaced ? nil : connection.waiting.time.map { (id: id, since: $0) }
            }
            guard let longest = waiting.min(by: { $0.since < $1.since }), longest.since <= latest else { return nil }
            state.connections[longest.id]?.isDisplaced = true
            return state.connections[longest.id]?.channel
        }
        channel?.pipeline.fireUserInboundEventTriggered(Displaced())
        return channel != nil
    }

    /// Adds a connection. After ``end()`` it is closed at once.
    func add(_ channel: any Channel, _ waiting: ConnectionDeadline.Start) {
        let isEnding = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, waiting: waiting)
            return state.isEnding
        }
        if isEnding { channel.close(promise: nil) }
    }

    func remove(_ channel: any Channel) {
        let waiting = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = nil
            return Self.taken(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    func beginRequest() { state.withLock { $0.requests += 1 } }

    func endRequest() {
        let waiting = state.withLock { state in
            state.requests -= 1
            return Self.taken(&state)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends connections between two requests, and others after their response; connections that are added later too.
    func end() {
        for channel in open(isEnding: true) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    /// Closes all connections.
    func close() {
        for channel in open(isEnding: true) { channel.close(promise: nil) }
    }

    /// Waits until no connection is open, and no request in progress.
    func waitUntilNone() async {
        await withCheckedContinuation { continuation in
            let waiting = state.withLock { state in
                state.waiting.append(continuation)
                return Self.taken(&state)
            }
            for one in waiting { one.resume() }
        }
    }

    private func open(isEnding: Bool) -> [any Channel] {
        state.withLock { state in
            state.isEnding = isEnding
            return state.connections.values.map(\.channel)
        }
    }

    /// Returns the waiters to resume, if no connection is open and no request in progress.
    private static func taken(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.connections.isEmpty, state.requests == 0 else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }
}
#endif
