#if Programs
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Accepts the connections of a server, and sets each up: TLS, the HTTP coders, and an ``HTTPConnection``.
///
/// Hummingbird's server would read and write the parts of HTTP in a task for each connection, which takes a wake-up of
/// a thread for each part. Here a request that arrives in one piece needs one task, and its response one visit of the
/// event loop.
struct ConnectionBootstrap {
    let limits: WebServerConfiguration.Limits
    let connections: OpenConnections
    let responder: DeferredResponder
    /// The settings of TLS; nil for none.
    let encryption: NIOSSLContext?
    let logger: Logger

    /// Listens, and serves until the returned channel is closed.
    ///
    /// - Throws: an error of the system.
    func bind(_ listen: ListenAddress) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: 256)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            // Accepts waiting connections together. NIO's default of four per turn of the event loop, which also
            // serves connections, would serve the first of a burst several times before the last.
            .serverChannelOption(
                ChannelOptions.maxMessagesPerRead, value: UInt(ConnectionLimit.turn(limits.connections))
            )
            .serverChannelInitializer { [limits, connections] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    // Waits for a second after an error, such as no free descriptor.
                    try pipeline.addHandler(AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
                    let limit = ConnectionLimit(limits, connections: connections, eventLoop: channel.eventLoop)
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: limit))
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            // A client that sends small requests and reads no response occupies the memory of one read: parsed, that is
            // about thirty times its octets.
            .childChannelOption(ChannelOptions.maxMessagesPerRead, value: 1)
            .childChannelOption(
                ChannelOptions.recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 16 << 10)
            )
            .childChannelInitializer { [self] channel in channel.eventLoop.makeCompletedFuture { try setUp(channel) } }
            .bind(host: listen.host, port: listen.port).get()
    }

    private func setUp(_ channel: any Channel) throws {
        var headers = NIOHTTPDecoderLimitConfiguration()
        headers.maxHeaderFieldSize = 16 << 10
        headers.maxHeaderListSize = 64 << 10
        headers.maxHeaderFieldCount = 100
        let pipeline = channel.pipeline.syncOperations
        if let encryption { try pipeline.addHandler(NIOSSLServerHandler(context: encryption)) }
        // Fields of responses are `HTTPFields`, which are valid. `HTTPConnection` separates requests that arrive
        // together, and answers data that is not HTTP.
        try pipeline.addHandler(HTTPResponseEncoder())
        let decoder = RequestDecoder(headers)
        // The decoder keeps a part of one header field at most.
        try pipeline.addHandler(ByteToMessageHandler(decoder, maximumBufferSize: 128 << 10))
        try pipeline.addHandler(
            HTTPConnection(
                limits, connections: connections, eventLoop: channel.eventLoop, decoder: decoder, responder: responder,
                logger: logger))
    }
}
#endif
