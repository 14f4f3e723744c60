#if Programs
import NIOCore
import Synchronization

/// The open connections of a server with the requests in progress, and their orderly end.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The number of requests in progress. A request may last longer than its connection.
        var requests = 0
        var isEnding = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Adds a connection. After ``end()`` it is closed at once.
    func add(_ channel: any Channel) {
        let isEnding = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isEnding
        }
        if isEnding { channel.close(promise: nil) }
    }

    func remove(_ channel: any Channel) {
        let waiting = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = nil
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
            return Array(state.channels.values)
        }
    }

    /// Returns the waiters to resume, if no connection is open and no request in progress.
    private static func taken(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.channels.isEmpty, state.requests == 0 else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }
}
#endif
