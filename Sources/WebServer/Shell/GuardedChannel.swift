import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1
import NIOSSL
import Synchronization

/// The connections of a server: Hummingbird's channel for HTTP/1.1, behind TLS and the limits and rules of this server.
struct GuardedChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
        let http: HTTP1Channel.Value
        let refusal: HTTPRules.Refusal
        var channel: any Channel { http.channel }
    }

    let limits: WebServerConfiguration.Limits
    let connections: OpenConnections
    /// The settings of TLS; nil for none.
    let encryption: NIOSSLContext?
    /// Returns the response to a request from an address, or to data that is no request.
    let respond: @Sendable (_ request: Request, _ address: String?, _ refusal: Problem?) async -> Response

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let pipeline = channel.pipeline.syncOperations
        let (gate, refusal) = (InputGate(), HTTPRules.Refusal())
        do {
            try setOptions(channel)
            if let encryption { try pipeline.addHandler(NIOSSLServerHandler(context: encryption)) }
            try pipeline.addHandler(gate)
        } catch { return channel.eventLoop.makeFailedFuture(error) }
        let bound = NIOLoopBound((gate: gate, pipeline: pipeline), eventLoop: channel.eventLoop)
        return http { _, _, _ in }.setup(channel: channel, logger: logger).flatMapThrowing { http in
            // The version of a request is known only before Hummingbird's form of it.
            let (gate, pipeline) = bound.value
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            let deadline = ClientDeadline(limits, channel.eventLoop)
            try pipeline.addHandlers(
                [HTTPRules(gate, connections, refusal), deadline], position: .before(codec))
            connections.add(channel, deadline.waiting)
            return Value(http: http, refusal: refusal)
        }
    }

    private func setOptions(_ channel: any Channel) throws {
        let options = channel.syncOptions
        // A client that sends small requests and reads no response occupies the memory of one read: parsed, that is
        // about thirty times its octets.
        try options?.setOption(.maxMessagesPerRead, value: 1)
        try options?.setOption(
            .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 16 << 10))
        #if os(Linux)
        // TCP_USER_TIMEOUT, in milliseconds
        let unacknowledged = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
        let milliseconds = limits.unacknowledged.components.seconds * 1000
        try options?.setOption(unacknowledged, value: .init(clamping: milliseconds))
        #endif
    }

    private func http(_ responder: @escaping HTTPChannelHandler.Responder) -> KeptChannel {
        KeptChannel(
            responder: responder,
            configuration: .init(
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 64 << 10, maxHeaderFieldCount: 100)))
    }

    /// Answers the requests of a connection. They are cancelled when it is closed.
    func handle(value: Value, logger: Logger) async {
        let address = value.channel.remoteAddress?.ipAddress
        let http = http { request, writer, _ in
            // HTTP allows no request without a target.
            let refusal = request.head.path == "" ? value.refusal.problem.withLock { $0 } : nil
            let response = await respond(request, address, refusal)
            var head = response.head
            head.headerFields[.date] = ResponseDate.text
            if request.method == .head {
                try await writer.writeResponse(head)
            } else {
                try await writer.write(response: head, body: response.body)
            }
        }
        let serving = Task { await http.handle(value: value.http, logger: logger) }
        value.channel.closeFuture.whenComplete { _ in serving.cancel() }
        await serving.value
    }
}

/// The field `Date` of responses (RFC 9110, 5.6.7), which is formatted once a second.
private enum ResponseDate {
    private static let cached = Mutex<(second: Int, text: String)>((0, ""))

    static var text: String {
        let second = time(nil)
        return cached.withLock { cached in
            if cached.second != second { cached = (second, format(second)) }
            return cached.text
        }
    }

    private static func format(_ second: Int) -> String {
        var (second, parts, text) = (second, tm(), [CChar](repeating: 0, count: 32))
        gmtime_r(&second, &parts)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
