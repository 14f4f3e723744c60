import Forwarding
import Foundation
import HealthHub
import NIOCore
import NIOPosix
import NIOSSL

struct MailSender: Sendable {
    /// The settings of TLS; tests trust a certificate of their own.
    var encryption = TLSConfiguration.makeClientConfiguration()
    var limit = TimeAmount.seconds(20)

    /// The reason why it is not known that the server has accepted a mail.
    struct Failure: Sendable, Equatable {
        let problem: String
        /// True if the server has the mail, and has not said whether it accepts it.
        var mayHaveArrived = false
    }

    /// Sends one mail.
    /// - Returns: nil if the server has accepted the mail.
    func send(_ message: MailMessage, to server: MailServer, account: (name: String, password: String)?) async
        -> Failure?
    {
        let context: NIOSSLContext
        do { context = try NIOSSLContext(configuration: encryption) } catch {
            return Failure(problem: "TLS cannot be used: \(error)")
        }
        let session = SMTPSession(
            message, account: account, requiresEncryption: !server.isPlain, isEncrypted: server.isImplicit)
        // An address is no server name of TLS; its certificate is compared with the address.
        let isAddress = (try? SocketAddress(ipAddress: server.host, port: 0)) != nil
        let name = isAddress ? nil : server.host
        let group = MultiThreadedEventLoopGroup.singleton
        let result = group.next().makePromise(of: Failure?.self)
        let bootstrap = ClientBootstrap(group: group).connectTimeout(limit).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                if server.isImplicit {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: name))
                }
                try channel.pipeline.syncOperations.addHandler(
                    SMTPHandler(session, result, limit: limit) {
                        try NIOSSLClientHandler(context: context, serverHostname: name)
                    })
            }
        }
        do {
            let channel = try await bootstrap.connect(host: server.host, port: server.port).get()
            let failure = try await result.futureResult.get()
            channel.close(promise: nil)
            return failure
        } catch {
            result.succeed(nil)
            return Failure(problem: "it cannot be reached: \(ConnectionProblem.text(of: error))")
        }
    }
}

/// Runs a session on a channel. It succeeds its promise once.
private final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let longestLine = 4096
    private var session: SMTPSession
    private var result: EventLoopPromise<MailSender.Failure?>?
    private let limit: TimeAmount
    private let makeTLS: () throws -> NIOSSLClientHandler
    private var received = ByteBuffer()
    private var timer: Scheduled<Void>?

    init(
        _ session: SMTPSession, _ result: EventLoopPromise<MailSender.Failure?>, limit: TimeAmount,
        makeTLS: @escaping () throws -> NIOSSLClientHandler
    ) {
        (self.session, self.result, self.limit, self.makeTLS) = (session, result, limit, makeTLS)
    }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limit) {
            let (handler, context) = bound.value
            handler.interrupt("it did not respond in time", context)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        received.writeBuffer(&part)
        while result != nil, let end = received.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            var line = String(buffer: received.readSlice(length: end - received.readerIndex + 1) ?? ByteBuffer())
            while line.last?.isNewline == true { line.removeLast() }
            if let action = session.receive(line) { perform(action, context) }
        }
        if received.readableBytes > Self.longestLine { interrupt("it sent a line without end", context) }
    }

    private func perform(_ action: SMTPSession.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .send(let text): context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        case .end(let problem): end(problem.map { .init(problem: $0) }, context)
        case .startTLS:
            // Plaintext after the reply to STARTTLS may be injected (RFC 3207, section 6).
            guard received.readableBytes == 0 else { return interrupt("it sent data before TLS began", context) }
            do {
                try context.channel.pipeline.syncOperations.addHandler(makeTLS(), position: .first)
                perform(session.encrypted(), context)
            } catch {
                interrupt("TLS cannot be used: \(error)", context)
            }
        }
    }

    /// Ends the session before the server has answered.
    private func interrupt(_ problem: String, _ context: ChannelHandlerContext) {
        end(.init(problem: problem, mayHaveArrived: session.isSent), context)
    }

    private func end(_ failure: MailSender.Failure?, _ context: ChannelHandlerContext) {
        guard let result else { return }
        self.result = nil
        timer?.cancel()
        if failure == nil { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "QUIT\r\n")), promise: nil) }
        result.succeed(failure)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        interrupt("the connection failed: \(ConnectionProblem.text(of: error))", context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        interrupt("it closed the connection", context)
        context.fireChannelInactive()
    }
}
