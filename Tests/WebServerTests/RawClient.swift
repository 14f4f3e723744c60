import NIOCore
import NIOPosix
import Synchronization

/// A client with a connection of its own that collects the received bytes.
final class RawClient: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let text = Mutex("")
    private let changes: AsyncStream<Bool>
    private let change: AsyncStream<Bool>.Continuation

    init() { (changes, change) = AsyncStream<Bool>.makeStream() }

    static func connect(_ running: RunningServer) async throws -> (any Channel, RawClient) {
        let client = RawClient()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: false)
            .channelInitializer { $0.pipeline.addHandler(client) }
            .connect(host: "127.0.0.1", port: running.listening.address.port).get()
        return (channel, client)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        text.withLock { $0 += String(buffer: unwrapInboundIn(data)) }
        change.yield(true)
    }

    func channelInactive(context: ChannelHandlerContext) { change.finish() }

    /// Waits for the text; false if the connection ended without it.
    func hears(_ words: String) async -> Bool { await hears { $0.contains(words) } }

    /// Waits until the received text satisfies the condition; false if the connection ended before.
    func hears(_ isWanted: (String) -> Bool) async -> Bool {
        var iterator = changes.makeAsyncIterator()
        while !text.withLock({ isWanted($0) }) {
            guard await iterator.next() != nil else { return text.withLock { isWanted($0) } }
        }
        return true
    }

    /// Waits for the end of the connection, and returns the received text.
    func whole() async -> String {
        for await _ in changes {}
        return text.withLock { $0 }
    }
}
