#if Programs
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client does not send a whole request in time: a client that sends one octet now and then
/// cannot hold a connection.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let limit: TimeAmount
    private var deadline: Scheduled<Void>?

    init(limit: Duration) { self.limit = TimeAmount(limit) }

    func handlerAdded(context: ChannelHandlerContext) {
        #if os(Linux)
        // TCP_USER_TIMEOUT: a peer that vanished while it had something to acknowledge is gone after 30 s.
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
        context.channel.setOption(option, value: 30_000).whenFailure { _ in }
        #endif
        start(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
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
        deadline = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }

    private func stop() {
        deadline?.cancel()
        deadline = nil
    }
}
#endif
