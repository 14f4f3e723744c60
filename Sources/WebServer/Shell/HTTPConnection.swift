#if Programs
import DequeModule
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Receives the requests of a connection, and sends their responses, one request after the other.
///
/// A request is answered as soon as its head has arrived, in a task of its own: with its whole body if that arrived
/// together with the head, otherwise with a body that continues to arrive. The connection ends if the client does not
/// send a whole request in time (``ConnectionDeadline``), does not read (TCP_USER_TIMEOUT), or sends no HTTP.
///
/// All members are used on the connection's event loop.
final class HTTPConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The part of the current request that has arrived.
    private enum Arrival {
        /// No part.
        case none
        /// The head, and perhaps a part of the body; more may be in the data that is being read.
        case begun(HTTPRequest)
        /// The head; the source receives the body.
        case body(RequestBodySource)
        /// The head; the rest of the body is ignored.
        case ignored
        /// The whole request.
        case whole
    }

    private let limits: WebServerConfiguration.Limits
    private let connections: OpenConnections
    private let decoder: RequestDecoder
    private let responder: DeferredResponder
    private let eventLoop: any EventLoop

    private var context: ChannelHandlerContext?
    private let logger: Logger
    private var origin: RequestOrigin?
    private var deadline: ConnectionDeadline
    private var arrival = Arrival.none
    /// The version of the current request.
    private var version = HTTPVersion.http1_1
    /// The part of the body that arrived together with the head.
    private var body = ByteBuffer()
    /// The octets of the body that have arrived since the deadline was set.
    private var progress = 0
    /// The number of requests, which distinguishes the bodies.
    private var number = 0
    /// The task that answers the current request; nil if there is none, or the response was sent.
    private var answer: Task<Void, Never>?
    /// True if the response is a stream, which ends when the client ends its side of the connection.
    private var isStreaming = false
    /// The parts of later requests, which arrived during the current one.
    private var later: Deque<HTTPServerRequestPart> = []
    private var isInputClosed = false
    /// The parse error of the input; nil if there is none.
    private var inputError: HTTPParserError?
    private var closesAfterResponse = false
    private var isServerEnding = false
    /// True if the consumer has not read the body as fast as it arrived, so that reading is suspended.
    private var isBodyFull = false
    private var isReadingHeld = false

    init(
        _ limits: WebServerConfiguration.Limits, connections: OpenConnections, eventLoop: any EventLoop,
        decoder: RequestDecoder, responder: DeferredResponder, logger: Logger
    ) {
        (self.limits, self.connections, self.eventLoop) = (limits, connections, eventLoop)
        (self.decoder, self.responder, self.logger) = (decoder, responder, logger)
        deadline = ConnectionDeadline(limits.idle)
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        #if os(Linux)
        // TCP_USER_TIMEOUT, in milliseconds
        let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: 18))
        let milliseconds = limits.unacknowledged.components.seconds * 1000
        try? context.channel.syncOptions?.setOption(option, value: .init(clamping: milliseconds))
        #endif
        restartDeadline()
        connections.add(context.channel, deadline.start)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The decoder reports each read after an error.
        if decoder.discards || inputError != nil, error is HTTPParserError || error is ByteToMessageDecoderError {
            return
        }
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        inputError = error
        refuseBrokenInput()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            (closesAfterResponse, isServerEnding) = (true, true)
            if answer == nil {
                context.close(promise: nil)
            } else if case .body(let source) = arrival {
                // The rest of the body may never arrive.
                source.finish(Problem.unavailable("The server is stopping."))
                ignoreBody()
            }
        case is OpenConnections.Displaced:
            closesAfterResponse = true
            if deadline.start.time != nil { context.close(promise: nil) }
        case let event as ChannelEvent where event == .inputClosed:
            isInputClosed = true
            if answer == nil {
                context.close(promise: nil)
            } else if isStreaming {
                answer?.cancel()
            }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func end() {
        guard let context else { return }
        deadline.end()
        connections.remove(context.channel)
        if case .body(let source) = arrival { source.finish(ChannelError.eof) }
        if isStreaming { answer?.cancel() }
        (self.context, arrival, later) = (nil, .ignored, [])
    }

    private func restartDeadline() {
        deadline.restart(eventLoop) { self.checkDeadline() }
    }

    private func checkDeadline() {
        if deadline.isOver(eventLoop, { self.checkDeadline() }) { context?.close(promise: nil) }
    }

    /// Ends the output. The connection is closed when the client ends its side, or at the deadline, so that a client
    /// that still sends receives the response.
    private func closeOutput() {
        guard let context else { return }
        if isInputClosed || isServerEnding { return context.close(promise: nil) }
        (decoder.discards, arrival, later) = (true, .ignored, [])
        restartDeadline()
        continueReading()
        let done = eventLoop.makePromise(of: Void.self)
        done.futureResult.assumeIsolated().whenFailure { _ in self.context?.close(promise: nil) }
        context.close(mode: .output, promise: done)
    }

    // MARK: Requests

    func read(context: ChannelHandlerContext) {
        if isBodyFull || !later.isEmpty { isReadingHeld = true } else { context.read() }
    }

    private func continueReading() {
        guard isReadingHeld, !isBodyFull, later.isEmpty else { return }
        isReadingHeld = false
        context?.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        decoder.didDecode(part)
        if decoder.discards { return }
        if case .whole = arrival { later.append(part) } else { receive(part) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        beginBody()
        context.fireChannelReadComplete()
    }

    private func receive(_ part: HTTPServerRequestPart) {
        switch (part, arrival) {
        case (.head(let head), .none):
            restartDeadline()
            (version, closesAfterResponse) = (head.version, closesAfterResponse || head.endsConnection)
            do { arrival = .begun(try head.request()) } catch {
                refuse(error as? Problem ?? .badRequest("The request is not in the form of HTTP/1.1."))
            }
        case (.body(var buffer), .begun):
            if body.readableBytes == 0 { body = buffer } else { body.writeBuffer(&buffer) }
        case (.end, .begun(let head)):
            complete()
            begin(Request(head: head, body: RequestBody(buffer: takeBody())))
        case (.body(let buffer), .body(let source)):
            countProgress(buffer.readableBytes)
            add(buffer, to: source)
        case (.end, .body(let source)):
            source.finish()
            complete()
        case (.end, .ignored):
            complete()
            finishExchange()
        default: break
        }
    }

    private func takeBody() -> ByteBuffer {
        defer { body = ByteBuffer() }
        return body
    }

    private func complete() {
        arrival = .whole
        (isBodyFull, progress) = (false, 0)
        deadline.suspend()
    }

    /// Begins a request whose body has not arrived as a whole.
    private func beginBody() {
        guard case .begun(let head) = arrival else { return }
        number += 1
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let (sequence, source) = RequestBodySource.make(
            BodyDemand(eventLoop: eventLoop) { [number] in bound.value.bodyIsWanted($0, number) })
        arrival = .body(source)
        let body = takeBody()
        if body.readableBytes > 0 {
            add(body, to: source)
        } else if head.headerFields[.expect]?.lowercased() == "100-continue" {
            sendContinue()
        }
        begin(Request(head: head, body: RequestBody(asyncSequence: sequence)))
    }

    /// Sends 100 (Continue) to an HTTP/1.1 client that expects it before it sends the body (RFC 9110, 10.1.1).
    private func sendContinue() {
        guard version.minor > 0 else { return }
        context?.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }

    /// Extends the deadline while the body arrives steadily. Its limit of size bounds the number of times.
    private func countProgress(_ octets: Int) {
        progress += octets
        guard progress >= limits.progress else { return }
        progress = 0
        restartDeadline()
    }

    private func add(_ buffer: ByteBuffer, to source: RequestBodySource) {
        switch source.yield(buffer) {
        case .produceMore: break
        case .stopProducing:
            isBodyFull = true
            // The client waits for the server.
            deadline.suspend()
        case .dropped: ignoreBody()
        }
    }

    /// Handles the consumer's request for more data, or the end of its interest in the body.
    private func bodyIsWanted(_ isWanted: Bool, _ number: Int) {
        guard number == self.number, case .body = arrival else { return }
        if isWanted { bodyWasRead() } else { ignoreBody() }
        continueReading()
    }

    private func ignoreBody() {
        arrival = .ignored
        bodyWasRead()
    }

    private func bodyWasRead() {
        guard isBodyFull else { return }
        isBodyFull = false
        restartDeadline()
    }

    // MARK: Responses

    private func begin(_ request: Request) {
        let origin = origin ?? RequestOrigin(logger: logger, address: context?.channel.remoteAddress?.ipAddress)
        self.origin = origin
        let sender = beginAnswer()
        answer = Task { [responder, connections] in
            await sender.send(await responder.respond(to: request, from: origin), isHead: request.method == .head)
            connections.endRequest()
        }
    }

    /// Answers data that is not a valid request, and ends the connection.
    private func refuse(_ problem: Problem) {
        (arrival, closesAfterResponse) = (.ignored, true)
        let sender = beginAnswer()
        answer = Task { [responder, connections] in
            await sender.send(responder.refuse(problem), isHead: false)
            connections.endRequest()
        }
    }

    /// Answers data that is not HTTP, unless it belongs to a request that has a response. Requests that arrived before
    /// it are answered first.
    private func refuseBrokenInput() {
        guard let inputError, later.isEmpty else { return }
        switch arrival {
        case .none, .begun: refuse(.describing(inputError, isTargetTooLong: decoder.isTargetTooLong))
        case .body(let source):
            source.finish(inputError)
            (arrival, closesAfterResponse) = (.ignored, true)
        case .ignored:
            closesAfterResponse = true
            if answer == nil { closeOutput() }
        case .whole: break
        }
    }

    private func beginAnswer() -> ResponseSender {
        connections.beginRequest()
        return ResponseSender(connection: NIOLoopBound(self, eventLoop: eventLoop), eventLoop: eventLoop)
    }

    /// Sends parts of a response that is a stream: the head, or none, and a part of the body.
    func stream(_ head: HTTPResponse?, _ body: ByteBuffer, _ sent: EventLoopPromise<Void>) {
        guard let context else { return sent.fail(ChannelError.ioOnClosedChannel) }
        isStreaming = true
        if isInputClosed { answer?.cancel() }
        if let head { write(head) }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(body))), promise: sent)
    }

    /// Sends the rest of a response, or all of it.
    func finish(_ head: HTTPResponse?, _ body: ByteBuffer?, _ trailers: HTTPFields?) {
        guard let context else { return }
        if let head { write(head) }
        if let body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(trailers.map(HTTPHeaders.init))), promise: whenSent())
    }

    /// Sends a response that ends after its head.
    func finish(_ head: HTTPResponse) {
        guard let context else { return }
        write(head, whenSent())
        context.flush()
    }

    /// The next request begins when the client has read this response: responses do not gather here.
    private func whenSent() -> EventLoopPromise<Void> {
        let sent = eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { self.responseWasSent() }
        return sent
    }

    private func write(_ head: HTTPResponse, _ promise: EventLoopPromise<Void>? = nil) {
        var head = HTTPResponseHead(head)
        // NIO sends a stream in HTTP/1.0 without chunks (RFC 9112, 6.1).
        if version.minor == 0 { head.version = .http1_0 }
        if connections.isFull { closesAfterResponse = true }
        if closesAfterResponse { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context?.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    /// Ends the connection after a response that could not be completed.
    func fail() { context?.close(promise: nil) }

    private func responseWasSent() {
        (answer, isStreaming) = (nil, false)
        if case .body(let source) = arrival {
            source.finish()
            ignoreBody()
        }
        finishExchange()
    }

    /// Continues with the next request, if the current one has arrived and was answered.
    private func finishExchange() {
        guard context != nil, answer == nil else { return }
        if closesAfterResponse { return closeOutput() }
        guard case .whole = arrival else { return continueReading() }
        arrival = .none
        restartDeadline()
        while let part = later.first {
            if case .whole = arrival { break }
            later.removeFirst()
            receive(part)
        }
        refuseBrokenInput()
        beginBody()
        if isInputClosed, answer == nil { context?.close(promise: nil) }
        continueReading()
    }
}
#endif
