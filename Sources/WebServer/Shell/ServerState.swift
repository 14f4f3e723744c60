#if Programs
import Synchronization

/// The state of a server that its requests read.
final class ServerState: Sendable {
    private let stopping = Mutex(false)

    /// The server answers no further requests.
    var isStopping: Bool { stopping.withLock { $0 } }

    func stop() { stopping.withLock { $0 = true } }
}
#endif
