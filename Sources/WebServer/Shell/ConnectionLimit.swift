#if Programs
import Foundation
import HummingbirdCore
import NIOCore

/// Limits the number of open connections. At the limit, the connection whose client has kept the server waiting longest
/// is closed, so that idle clients do not exclude others.
struct ConnectionLimit: AvailableConnectionsDelegate {
    private let maximum: Int
    private let patience: TimeAmount
    private let connections: OpenConnections
    private let eventLoop: any EventLoop
    private let isScheduled: NIOLoopBoundBox<Bool>
    private var count = 0

    /// Creates the limit on the event loop that accepts connections.
    init(_ limits: WebServerConfiguration.Limits, connections: OpenConnections, eventLoop: any EventLoop) {
        maximum = Self.maximum(limits.connections)
        patience = TimeAmount(limits.patience)
        (self.connections, self.eventLoop) = (connections, eventLoop)
        isScheduled = NIOLoopBoundBox(false, eventLoop: eventLoop)
    }

    /// Returns the limit, but leaves half of the descriptors for files, and for connections that are accepted together.
    static func maximum(_ wanted: Int, descriptors: Int = sysconf(Int32(_SC_OPEN_MAX))) -> Int {
        descriptors > 0 ? max(1, min(wanted, descriptors / 2)) : wanted
    }

    /// The number of connections that are accepted together, by which the limit may be exceeded.
    static func turn(_ wanted: Int) -> Int { max(1, min(256, maximum(wanted) / 2)) }

    mutating func connectionOpened() { count += 1 }
    mutating func connectionClosed() { count -= 1 }

    func isAcceptingNewConnections() -> Bool {
        let isFull = count >= maximum
        connections.setFull(isFull)
        if isFull { displace() }
        return !isFull
    }

    /// Ends a connection, as soon as a client has kept the server waiting for too long.
    private func displace() {
        guard connections.isFull, !isScheduled.value, !connections.displace(after: patience) else { return }
        isScheduled.value = true
        eventLoop.scheduleTask(in: patience) {
            isScheduled.value = false
            displace()
        }
    }
}
#endif
