#if Programs
import NIOCore
import Synchronization

/// The open connections of a server, so that its end does not depend on them.
///
/// A connection that is cancelled between two requests can stay open until its idle timeout: its input is shut, so that
/// it never reads the end of the client's.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Adds a connection. After ``closeAll()`` it is closed at once.
    func add(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.channels[ObjectIdentifier(channel)] = channel }
            return state.isClosed
        }
        if isClosed { channel.close(promise: nil) }
    }

    func remove(_ channel: any Channel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    /// Closes all, and those that come later.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosed = true
            defer { state.channels = [:] }
            return state.channels.values.map { $0 }
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
#endif
