#if Programs
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The output of a connection: writes the parts of responses in the form that their requests ask for.
///
/// Writes do not mutate the output: one that ends at once may begin the next request.
struct ResponseOutput {
    /// The version of the current request.
    private var version = HTTPVersion.http1_1
    /// True if the connection ends after the current response.
    var closesAfterResponse = false

    /// Sets the form of the response to a request.
    mutating func begin(_ request: HTTPRequestHead) {
        version = request.version
        if request.endsConnection { closesAfterResponse = true }
    }

    /// Sends 100 (Continue) to an HTTP/1.1 client that expects it before it sends the body (RFC 9110, 10.1.1).
    func sendContinue(to context: ChannelHandlerContext) {
        guard version.minor > 0 else { return }
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
    }

    func write(_ head: HTTPResponse, to context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil) {
        var head = HTTPResponseHead(head)
        // NIO sends a stream in HTTP/1.0 without chunks (RFC 9112, 6.1).
        if version.minor == 0 { head.version = .http1_0 }
        if closesAfterResponse { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        context.write(NIOAny(HTTPServerResponsePart.head(head)), promise: promise)
    }

    func write(_ body: ByteBuffer, to context: ChannelHandlerContext) {
        context.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(body))), promise: nil)
    }

    func writeAndFlush(_ body: ByteBuffer, to context: ChannelHandlerContext, _ sent: EventLoopPromise<Void>) {
        context.writeAndFlush(NIOAny(HTTPServerResponsePart.body(.byteBuffer(body))), promise: sent)
    }

    /// Writes the end of a response, and flushes.
    func end(_ trailers: HTTPFields?, to context: ChannelHandlerContext, _ sent: EventLoopPromise<Void>) {
        context.writeAndFlush(NIOAny(HTTPServerResponsePart.end(trailers.map(HTTPHeaders.init))), promise: sent)
    }
}
#endif
