import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import WebServer

/// The time in which a client must send a request, by a clock of the test.
@Suite struct ClientDeadlineTests {
    private let channel = EmbeddedChannel()
    private let deadline: ClientDeadline

    init() throws {
        var limits = WebServerConfiguration.Limits()
        (limits.idle, limits.progress) = (.seconds(10), 8)
        deadline = ClientDeadline(limits, channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(deadline)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
        channel.read()
    }

    private func receive(_ part: HTTPServerRequestPart, isHeld: Bool = false) throws {
        try channel.writeInbound(part)
        if !isHeld { channel.read() }
    }

    private func receiveHead() throws {
        try receive(.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")))
    }

    private func receiveBody(_ size: Int, isHeld: Bool = false) throws {
        try receive(.body(ByteBuffer(repeating: 0, count: size)), isHeld: isHeld)
    }

    private func respond() throws {
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    /// True if the connection is open after the time.
    private func isOpen(after seconds: Int64) -> Bool {
        channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
        return channel.isActive
    }

    @Test func aSilentClientLosesItsConnection() {
        #expect(deadline.waiting.since != nil)
        #expect(isOpen(after: 9))
        #expect(!isOpen(after: 1))
    }

    @Test func theClientMayWaitForItsResponseAndThenHasItsTimeAgain() throws {
        try receiveHead()
        try receive(.end(nil))
        #expect(deadline.waiting.since == nil)
        #expect(isOpen(after: 100))
        try respond()
        #expect(deadline.waiting.since != nil)
        #expect(isOpen(after: 9))
        #expect(!isOpen(after: 1))
    }

    @Test func progressOfABodyExtendsTheTime() throws {
        try receiveHead()
        for _ in 0..<5 {
            #expect(isOpen(after: 9))
            try receiveBody(8)
        }
        // Less than the progress, and then the rest of it.
        #expect(isOpen(after: 5))
        try receiveBody(7)
        #expect(isOpen(after: 4))
        try receiveBody(1)
        #expect(isOpen(after: 9))
        try receiveBody(7)
        #expect(!isOpen(after: 1))
    }

    @Test func aBodyThatIsIgnoredExtendsNothing() throws {
        try receiveHead()
        try respond()
        for _ in 0..<9 {
            try receiveBody(8)
            #expect(isOpen(after: 1))
        }
        #expect(!isOpen(after: 1))
    }

    @Test func theTimeStopsWhileTheServerDoesNotRead() throws {
        try receiveHead()
        #expect(isOpen(after: 4))
        try receiveBody(1, isHeld: true)
        #expect(deadline.waiting.since == nil)
        #expect(isOpen(after: 100))
        channel.read()
        #expect(deadline.waiting.since != nil)
        #expect(isOpen(after: 5))
        #expect(!isOpen(after: 1))
    }

    @Test func theBodyOfALaterRequestHasItsTimeAfterTheResponseBefore() throws {
        try receiveHead()
        try receive(.end(nil))
        try receiveHead()
        #expect(deadline.waiting.since == nil && isOpen(after: 100))
        try respond()
        #expect(isOpen(after: 9))
        #expect(!isOpen(after: 1))
    }
}

/// The octets before the decoder.
@Suite struct InputGateTests {
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0
        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    private let channel = EmbeddedChannel()
    private let reads = Reads()
    private let gate = InputGate()

    init() throws { try channel.pipeline.syncOperations.addHandlers([reads, gate]) }

    @Test func octetsAfterTheLastRequestAreReadAndDiscarded() throws {
        try channel.writeInbound(ByteBuffer(string: "a"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "a"))
        #expect(reads.count == 0)
        gate.close()
        #expect(reads.count == 1)
        try channel.writeInbound(ByteBuffer(string: "b"))
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
        #expect(reads.count == 2)
    }

    @Test(arguments: [
        ([], false), (["GET /abc"], true), (["\r\nGET ", "/a"], true), (["G", "ET", " /"], true), (["GET"], false),
        (["M-SEARCH *"], true), (["GET / HTTP/1.1\r\nHost: a"], false), (["GET / HTTP/1.1\r\n", "X: y"], false),
        (["GET / HTTP/1.1\r\n\r\nGET /"], true), (["Host:"], false),
    ])
    func theLineOfARequestIsKnown(pieces: [String], isTarget: Bool) throws {
        for piece in pieces { try channel.writeInbound(ByteBuffer(string: piece)) }
        #expect(gate.isInTarget == isTarget)
    }
}
