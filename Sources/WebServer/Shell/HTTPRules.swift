import NIOCore
import NIOHTTP1
import Synchronization

/// The rules of HTTP/1.1 (RFC 9112) that Hummingbird's channel leaves open: which request is the last of a connection,
/// and what the answer to data is that is no request.
///
/// Such data becomes a request without a target, which the server answers with ``refusal``, after the requests before
/// it.
final class HTTPRules: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The problem of the request without a target.
    final class Refusal: Sendable {
        let problem = Mutex<Problem?>(nil)
    }

    private let gate: InputGate
    private let connections: OpenConnections
    private let refusal: Refusal
    /// The methods of the requests that have no whole response.
    private var unanswered: [HTTPMethod] = []
    /// The version of the last request; nil while more may follow.
    private var last: HTTPVersion?
    private var version = HTTPVersion.http1_1
    private var isBodyArriving = false
    private var expectsContinue = false
    /// True while the current response is a stream, which ends when the client ends its side of the connection.
    private var isStreaming = false
    private var isResponding = false
    /// The number of responses that the system has not taken.
    private var unsent = 0
    private var isInputClosed = false
    private var isOutputEnding = false
    private var isServerEnding = false

    init(_ gate: InputGate, _ connections: OpenConnections, _ refusal: Refusal) {
        (self.gate, self.connections, self.refusal) = (gate, connections, refusal)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard last == nil || isBodyArriving else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            version = head.version
            do throws(Problem) { begin(try head.checked(), context) } catch { refuse(error, context) }
        case .body:
            expectsContinue = false
            if isBodyArriving { context.fireChannelRead(data) }
        case .end:
            (expectsContinue, isBodyArriving) = (false, false)
            if last != nil { gate.close() }
            context.fireChannelRead(data)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isBodyArriving = true
        unanswered.append(head.method)
        if head.endsConnection { last = head.version }
        expectsContinue = head.headers.first(name: "Expect")?.lowercased() == "100-continue" && version.minor > 0
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Answers data that is not a valid request, and ends the connection.
    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        refusal.problem.withLock { $0 = problem }
        (last, isBodyArriving) = (version, false)
        gate.close()
        unanswered.append(.GET)
        context.fireChannelRead(wrapInboundOut(.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: ""))))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        sendContinue(context)
        context.fireChannelReadComplete()
    }

    /// Asks a client for the body that it holds back (RFC 9110, 10.1.1), after the responses before.
    private func sendContinue(_ context: ChannelHandlerContext) {
        guard expectsContinue, unanswered.count == 1 else { return }
        expectsContinue = false
        inform(.continue, context)
    }

    private func inform(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status))), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            context.fireErrorCaught(error)
            return context.close(promise: nil)
        }
        if isBodyArriving {
            breakBody(ChannelError.eof, context)
        } else if last == nil {
            refuse(.describing(error, isTargetTooLong: gate.isInTarget), context)
        }
    }

    /// Ends the body of the current request with an error, and the connection with its response.
    private func breakBody(_ error: any Error, _ context: ChannelHandlerContext) {
        (last, isBodyArriving) = (last ?? version, false)
        gate.close()
        if unanswered.isEmpty { endOutput(context) } else { context.fireErrorCaught(error) }
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isResponding = true
            isStreaming = !head.headers.contains(name: "Content-Length")
            if unanswered.count == 1 {
                if last == nil, connections.isFull { last = version }
                if let last {
                    if last.minor == 0 { head.version = .http1_0 }
                    head.headers.replaceOrAdd(name: "Connection", value: "close")
                }
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end: end(data, context, promise)
        }
    }

    private func end(_ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        (isResponding, isStreaming) = (false, false)
        let sent = promise ?? context.eventLoop.makePromise()
        unsent += 1
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.unsent -= 1
            self.endWhenSent(context)
        }
        if unanswered.first == .HEAD {
            // The end of a stream would be a chunk (RFC 9110, 9.3.2).
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: sent)
            context.flush()
        } else {
            context.writeAndFlush(data, promise: sent)
        }
        if !unanswered.isEmpty { unanswered.removeFirst() }
        sendContinue(context)
        if unanswered.isEmpty, last != nil || isInputClosed { endOutput(context) }
    }

    /// Ends the output after the last response. The connection is closed when the client ends its side, or at its
    /// deadline, so that a client that still sends receives the response.
    private func endOutput(_ context: ChannelHandlerContext) {
        isOutputEnding = true
        gate.close()
        endWhenSent(context)
    }

    private func endWhenSent(_ context: ChannelHandlerContext) {
        guard isOutputEnding, unsent == 0, context.channel.isActive else { return }
        context.close(mode: isInputClosed || isServerEnding ? .all : .output, promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        endOutput(context)
        promise?.succeed()
    }

    // MARK: The end of the client or of the server

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return endConnection(context) }
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        isInputClosed = true
        context.fireUserInboundEventTriggered(event)
        if unanswered.isEmpty || isStreaming {
            context.close(promise: nil)
        } else {
            findOut(context)
        }
    }

    /// Ends the connection at once, or after the responses to the requests that have arrived.
    private func endConnection(_ context: ChannelHandlerContext) {
        isServerEnding = true
        if unanswered.isEmpty {
            context.close(promise: nil)
        } else if isBodyArriving {
            // The rest of a body may never arrive.
            breakBody(Problem.unavailable(connections.reasonOfEnd), context)
        } else {
            last = last ?? version
            gate.close()
        }
    }

    /// Finds out whether the client waits for its response, or is gone: the system of the latter refuses an interim
    /// response, which closes the connection.
    private func findOut(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            guard context.channel.isActive, !self.unanswered.isEmpty, !self.isResponding else { return }
            if self.last?.minor != 0 { self.inform(.processing, context) }
        }
    }
}
