#if Programs
import NIOCore
import Synchronization

/// The open connections of a server, and their end.
///
/// The tasks of the server cannot be cancelled at once. A connection that is cancelled between two requests stays open
/// until its idle timeout, because its input is shut and the end of the client's is never read; one that was accepted but
/// not served yet would be dropped, which is a fault in NIO.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isEnding = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Adds a connection. After ``end()`` it ends at once.
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

    /// Ends connections between two requests, and the others after their response; those that come later too.
    func end() {
        for channel in open(isEnding: true) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    /// Closes all.
    func close() {
        for channel in open(isEnding: true) { channel.close(promise: nil) }
    }

    /// Waits until none is open.
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

    /// Those who wait, once none is open.
    private static func taken(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.channels.isEmpty else { return [] }
        defer { state.waiting = [] }
        return state.waiting
    }
}
#endif
