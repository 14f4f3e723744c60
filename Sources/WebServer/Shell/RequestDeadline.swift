#if Programs
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client does not send a whole request in time, so that a client cannot hold a connection by
/// sending single octets. Also maintains the list of open connections.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limits: WebServerConfiguration.Limits
    private let connections: OpenConnections
    private var deadline: Scheduled<Void>?

    init(_ limits: WebServerConfiguration.Limits, connections: OpenConnections) {
        self.limits = limits
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        #if os(Linux)
        // TCP_USER_TIMEOUT, in milliseconds
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
        let milliseconds = limits.unacknowledged.components.seconds * 1000
        context.channel.setOption(option, value: .init(clamping: milliseconds)).whenFailure { _ in }
        #endif
        connections.add(context.channel)
        start(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: start(context)
        case .body: break
        // The time between requests is limited by the server's own idle timeout.
        case .end: stop()
        }
        context.fireChannelRead(data)
    }

    private func start(_ context: ChannelHandlerContext) {
        stop()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.idle)) { channel.close(promise: nil) }
    }

    private func end(_ context: ChannelHandlerContext) {
        stop()
        connections.remove(context.channel)
    }

    private func stop() {
        deadline?.cancel()
        deadline = nil
    }
}
#endif
