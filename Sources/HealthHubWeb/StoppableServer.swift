import Hummingbird
import Logging
import NIOCore
import WebServer

/// A server of Hummingbird for programs of this machine.
package enum StoppableServer {
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
        let application = Application(
            responder: responder, server: .init { KeptChannel(responder: $0) },
            configuration: .init(address: address), onServerRunning: onListening, logger: logger)
        do { try await application.run() } catch {
            // A server whose channel was closed counts as one that ended unexpectedly.
            guard Task.isCancelled else { throw error }
        }
    }
}
