import HummingbirdCore
import Logging
import NIOCore

/// Hummingbird's channel for HTTP/1.1, kept until the connection is closed.
///
/// NIO ends the process if the value of an open connection is released, as it is when a server ends before it takes a
/// connection that was accepted.
package struct KeptChannel: ServerChildChannel {
    private let http: HTTP1Channel

    package init(responder: @escaping HTTPChannelHandler.Responder, configuration: HTTP1Channel.Configuration = .init())
    {
        http = HTTP1Channel(responder: responder, configuration: configuration)
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).map { value in
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            return value
        }
    }

    package func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}
