import Foundation
import HummingbirdCore
import NIOCore
import Synchronization

/// The open connections of a server: their limit, and their orderly end.
///
/// At the limit, the connection whose client has kept the server waiting longest is ended, so that idle clients do not
/// exclude others.
final class OpenConnections: AvailableConnectionsDelegate {
    private struct Connection {
        let channel: any Channel
        let waiting: ClientDeadline.Waiting
        var isEnding = false
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// The number of accepted connections; each is soon among the others.
        var count = 0
        var isDisplacing = false
        var isEnding = false
    }

    private let maximum: Int
    private let patience: TimeAmount
    private let state = Mutex(State())

    init(_ limits: WebServerConfiguration.Limits) {
        (maximum, patience) = (Self.maximum(limits.connections), TimeAmount(limits.patience))
    }

    /// Returns the limit, but leaves half of the descriptors for files, and for connections that are accepted together.
    static func maximum(_ wanted: Int, descriptors: Int = sysconf(Int32(_SC_OPEN_MAX))) -> Int {
        descriptors > 0 ? max(1, min(wanted, descriptors / 2)) : wanted
    }

    /// The number of connections that are accepted together, by which the limit may be exceeded.
    var turn: Int { max(1, min(256, maximum / 2)) }

    /// True while new connections wait for the end of others. Connections end after their response then.
    var isFull: Bool { state.withLock { $0.count >= maximum } }

    /// The reason why a connection ends before its request has arrived.
    var reasonOfEnd: String {
        state.withLock { $0.isEnding } ? "The server is stopping." : "The server has too many connections."
    }

    // MARK: The limit

    func connectionOpened() { state.withLock { $0.count += 1 } }
    func connectionClosed() { state.withLock { $0.count -= 1 } }

    func isAcceptingNewConnections() -> Bool {
        if isFull { displace() }
        return !isFull
    }

    /// Ends a connection, as soon as a client has kept the server waiting for too long.
    private func displace() {
        let latest = NIODeadline.now() - patience
        let channel = state.withLock { state -> (any Channel)? in
            let waiting = state.connections.lazy.compactMap { id, connection in
                connection.isEnding ? nil : connection.waiting.since.map { (id: id, since: $0) }
            }
            if let longest = waiting.min(by: { $0.since < $1.since }), longest.since <= latest {
                state.connections[longest.id]?.isEnding = true
                return state.connections[longest.id]?.channel
            }
            guard !state.isDisplacing, let some = state.connections.first?.value.channel else { return nil }
            state.isDisplacing = true
            some.eventLoop.scheduleTask(in: patience) {
                self.state.withLock { $0.isDisplacing = false }
                if self.isFull { self.displace() }
            }
            return nil
        }
        channel?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    // MARK: Connections

    /// Adds a connection until it is closed. After ``end()`` it is closed at once.
    func add(_ channel: any Channel, _ waiting: ClientDeadline.Waiting) {
        let isEnding = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = Connection(channel: channel, waiting: waiting)
            return state.isEnding
        }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
        }
        if isEnding { channel.close(promise: nil) }
    }

    /// Ends connections between two requests, and others after their response; connections that are added later too.
    func end() {
        for channel in open() { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    /// Closes all connections.
    func close() {
        for channel in open() { channel.close(promise: nil) }
    }

    private func open() -> [any Channel] {
        state.withLock { state in
            state.isEnding = true
            return state.connections.values.map(\.channel)
        }
    }
}
