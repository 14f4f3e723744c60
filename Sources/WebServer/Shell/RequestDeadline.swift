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
    /// The time until which the current request must be received; nil between requests.
    private var deadline: NIODeadline?
    /// The check of the deadline. It stays scheduled between requests.
    private var check: Scheduled<Void>?

    init(_ limits: WebServerConfiguration.Limits, connections: OpenConnections) {
        self.limits = limits
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        #if os(Linux)
        // TCP_USER_TIMEOUT, in milliseconds
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
        let milliseconds = limits.unacknowledged.components.seconds * 1000
        try? context.channel.syncOptions?.setOption(option, value: .init(clamping: milliseconds))
        #endif
        connections.add(context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: deadline = .now() + TimeAmount(limits.idle)
        case .body: break
        // The time before and between requests is limited by the server's own idle timeout.
        case .end: deadline = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Most requests arrive whole, and do not need a check.
        if deadline != nil, check == nil { schedule(context) }
        context.fireChannelReadComplete()
    }

    private func schedule(_ context: ChannelHandlerContext) {
        guard let deadline else {
            check = nil
            return
        }
        guard deadline > .now() else { return context.channel.close(promise: nil) }
        check = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.schedule(context) }
    }

    private func end(_ context: ChannelHandlerContext) {
        deadline = nil
        check?.cancel()
        check = nil
        connections.remove(context.channel)
    }
}
#endif
