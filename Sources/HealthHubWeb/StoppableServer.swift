import Hummingbird
import Logging
import NIOCore
import Synchronization
import WebServer

/// A server of Hummingbird that stops listening before its connections end.
///
/// The task of Hummingbird's server takes the connections. NIO ends the process if it accepts one that the task, which
/// was cancelled, does not take any more.
package enum StoppableServer {
    private final class Listener: Sendable {
        let channel = Mutex<(any Channel)?>(nil)
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter onListening: called with the listening channel.
    /// - Throws: an error of the system, if the server cannot listen.
    package static func run(
        _ responder: some HTTPResponder<BasicRequestContext>, at address: BindAddress, label: String,
        onListening: @escaping @Sendable (any Channel) -> Void = { _ in }
    ) async throws {
        var logger = Logger(label: label)
        logger.logLevel = .critical
        let listener = Listener()
        let application = Application(
            responder: responder, configuration: .init(address: address),
            onServerRunning: { channel in
                listener.channel.withLock { $0 = channel }
                onListening(channel)
            }, logger: logger)
        let serving = Task { try await application.run() }
        do {
            try await withTaskCancellationHandler {
                try await serving.value
            } onCancel: {
                Task {
                    await listener.channel.withLock { $0 }?.stopListening()
                    serving.cancel()
                }
            }
        } catch {
            // A server whose channel was closed counts as one that ended unexpectedly.
            guard Task.isCancelled else { throw error }
        }
    }
}
