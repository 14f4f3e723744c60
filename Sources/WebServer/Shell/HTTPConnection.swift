#if Programs
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

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

    private let limits: WebServerConfiguration.Limits
    private let connections: OpenConnections
    private let decoder: RequestDecoder
    private let responder: DeferredResponder
    private let eventLoop: any EventLoop

    private var context: ChannelHandlerContext?
    private let logger: Logger
    private var origin: RequestOrigin?
    private var deadline: ConnectionDeadline
    private var arrival: RequestArrival
    private var backPressure = InputBackPressure()
    private var output = ResponseOutput()
    /// The task that answers the current request; nil if there is none, or the response was sent.
    private var answer: Task<Void, Never>?
    /// True if the response is a stream, which ends when the client ends its side of the connection.
    private var isStreaming = false
    private var isInputClosed = false
    /// The parse error of the input; nil if there is none.
    private var inputError: HTTPParserError?
    private var isServerEnding = false

    init(
        _ limits: WebServerConfiguration.Limits, connections: OpenConnections, eventLoop: any EventLoop,
        decoder: RequestDecoder, responder: DeferredResponder, logger: Logger
    ) {
        (self.limits, self.connections, self.eventLoop) = (limits, connections, eventLoop)
        (self.decoder, self.responder, self.logger) = (decoder, responder, logger)
        deadline = ConnectionDeadline(limits.idle)
        arrival = RequestArrival(limits)
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
            (output.closesAfterResponse, isServerEnding) = (true, true)
            if answer == nil {
                context.close(promise: nil)
            } else {
                // The rest of a body may never arrive.
                apply(arrival.endBody(Problem.unavailable("The server is stopping.")))
            }
        case is OpenConnections.Displaced:
            output.closesAfterResponse = true
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
        arrival.endBody(ChannelError.eof)
        if isStreaming { answer?.cancel() }
        self.context = nil
        ignoreInput()
    }

    private func restartDeadline() {
        deadline.restart(eventLoop) { self.checkDeadline() }
    }

    private func apply(_ change: RequestArrival.DeadlineChange) {
        switch change {
        case .unchanged: break
        case .restart: restartDeadline()
        case .suspend: deadline.suspend()
        }
    }

    private func checkDeadline() {
        if deadline.isOver(eventLoop, { self.checkDeadline() }) { context?.close(promise: nil) }
    }

    /// Ends the output. The connection is closed when the client ends its side, or at the deadline, so that a client
    /// that still sends receives the response.
    private func closeOutput() {
        guard let context else { return }
        if isInputClosed || isServerEnding { return context.close(promise: nil) }
        decoder.discards = true
        ignoreInput()
        restartDeadline()
        continueReading()
        let done = eventLoop.makePromise(of: Void.self)
        done.futureResult.assumeIsolated().whenFailure { _ in self.context?.close(promise: nil) }
        context.close(mode: .output, promise: done)
    }

    private func ignoreInput() {
        arrival.ignoreRest()
        backPressure.discard()
    }

    // MARK: Requests

    func read(context: ChannelHandlerContext) {
        if backPressure.mayRead(isBodyFull: arrival.isBodyFull) { context.read() }
    }

    private func continueReading() {
        if backPressure.mayContinue(isBodyFull: arrival.isBodyFull) { context?.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        decoder.didDecode(part)
        if decoder.discards { return }
        if arrival.isWhole { backPressure.add(part) } else { receive(part) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        beginBody()
        context.fireChannelReadComplete()
    }

    private func receive(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head):
            guard case .none = arrival.state else { return }
            restartDeadline()
            output.begin(head)
            do { try arrival.begin(head) } catch {
                refuse(error as? Problem ?? .badRequest("The request is not in the form of HTTP/1.1."))
            }
        case .body(let buffer): apply(arrival.add(buffer))
        case .end:
            guard let end = arrival.end() else { return }
            deadline.suspend()
            switch end {
            case .request(let request): begin(request)
            case .body: break
            case .ignored: finishExchange()
            }
        }
    }

    /// Begins a request whose body has not arrived as a whole.
    private func beginBody() {
        let begun = arrival.beginBody { number in
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            return BodyDemand(eventLoop: eventLoop) { bound.value.bodyIsWanted($0, number) }
        }
        guard let begun else { return }
        if begun.expectsContinue, let context { output.sendContinue(to: context) }
        begin(begun.request)
    }

    /// Handles the consumer's request for more data, or the end of its interest in the body.
    private func bodyIsWanted(_ isWanted: Bool, _ number: Int) {
        guard let change = arrival.bodyIsWanted(isWanted, number) else { return }
        apply(change)
        continueReading()
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
        arrival.ignoreRest()
        output.closesAfterResponse = true
        let sender = beginAnswer()
        answer = Task { [responder, connections] in
            await sender.send(responder.refuse(problem), isHead: false)
            connections.endRequest()
        }
    }

    /// Answers data that is not HTTP, unless it belongs to a request that has a response. Requests that arrived before
    /// it are answered first.
    private func refuseBrokenInput() {
        guard let inputError, !backPressure.hasLater else { return }
        switch arrival.state {
        case .none, .begun: refuse(.describing(inputError, isTargetTooLong: decoder.isTargetTooLong))
        case .body:
            arrival.endBody(inputError)
            output.closesAfterResponse = true
        case .ignored:
            output.closesAfterResponse = true
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
        if let head { write(head, to: context) }
        output.writeAndFlush(body, to: context, sent)
    }

    /// Sends the rest of a response, or all of it.
    func finish(_ head: HTTPResponse?, _ body: ByteBuffer?, _ trailers: HTTPFields?) {
        guard let context else { return }
        if let head { write(head, to: context) }
        if let body { output.write(body, to: context) }
        output.end(trailers, to: context, whenSent())
    }

    /// Sends a response that ends after its head.
    func finish(_ head: HTTPResponse) {
        guard let context else { return }
        write(head, to: context, whenSent())
        context.flush()
    }

    /// The next request begins when the client has read this response: responses do not gather here.
    private func whenSent() -> EventLoopPromise<Void> {
        let sent = eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { self.responseWasSent() }
        return sent
    }

    private func write(
        _ head: HTTPResponse, to context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil
    ) {
        if connections.isFull { output.closesAfterResponse = true }
        output.write(head, to: context, promise)
    }

    /// Ends the connection after a response that could not be completed.
    func fail() { context?.close(promise: nil) }

    private func responseWasSent() {
        (answer, isStreaming) = (nil, false)
        apply(arrival.endBody(nil))
        finishExchange()
    }

    /// Continues with the next request, if the current one has arrived and was answered.
    private func finishExchange() {
        guard context != nil, answer == nil else { return }
        if output.closesAfterResponse { return closeOutput() }
        guard arrival.isWhole else { return continueReading() }
        arrival.waitForNext()
        restartDeadline()
        while !arrival.isWhole, let part = backPressure.next() { receive(part) }
        refuseBrokenInput()
        beginBody()
        if isInputClosed, answer == nil { context?.close(promise: nil) }
        continueReading()
    }
}
#endif
