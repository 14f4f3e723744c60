import Synchronization

/// The state of a server, shared with its requests.
final class ServerState: Sendable {
    private let stopping = Mutex(false)

    /// True if the server answers no further requests.
    var isStopping: Bool { stopping.withLock { $0 } }

    func stop() { stopping.withLock { $0 = true } }
}
