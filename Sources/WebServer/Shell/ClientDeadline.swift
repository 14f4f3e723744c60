import NIOCore
import NIOHTTP1
import Synchronization

/// Closes a connection whose client does not send a whole request in time. It prevents that a client holds a connection
/// by sending single octets.
///
/// The time does not run while the client waits for a response, or for the server to read its body.
final class ClientDeadline: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    /// The time since which the server waits for the client; nil while the client waits. Other threads may read it.
    final class Waiting: Sendable {
        private let nanoseconds = Atomic<UInt64>(.max)

        fileprivate(set) var since: NIODeadline? {
            get {
                let nanoseconds = nanoseconds.load(ordering: .relaxed)
                return nanoseconds == .max ? nil : .uptimeNanoseconds(nanoseconds)
            }
            set { nanoseconds.store(newValue?.uptimeNanoseconds ?? .max, ordering: .relaxed) }
        }
    }

    let waiting = Waiting()
    private let eventLoop: any EventLoop
    private let limit: TimeAmount
    private let steadyProgress: Int
    private var timer: Scheduled<Void>?
    private var start: NIODeadline
    /// The time since which reads are held back, because the body is not used as fast as it arrives.
    private var heldSince: NIODeadline?
    private var unanswered = 0
    private var isBodyArriving = false
    /// The octets of the body that have arrived since the time began.
    private var progress = 0

    init(_ limits: WebServerConfiguration.Limits, _ eventLoop: any EventLoop) {
        (self.eventLoop, start) = (eventLoop, eventLoop.now)
        (limit, steadyProgress) = (TimeAmount(limits.idle), limits.progress)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        restart()
        schedule(start + limit, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            (isBodyArriving, progress) = (true, 0)
            unanswered += 1
            restart()
        case .body(let part):
            progress += part.readableBytes
            if progress >= steadyProgress, unanswered > 0 {
                progress = 0
                restart()
            }
        case .end:
            isBodyArriving = false
            update()
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        heldSince = eventLoop.now
        update()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if let heldSince { start = start + (eventLoop.now - heldSince) }
        heldSince = nil
        update()
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered -= 1
            restart()
        }
        context.write(data, promise: promise)
    }

    private func restart() {
        start = eventLoop.now
        if heldSince != nil { heldSince = start }
        update()
    }

    private func update() {
        let isBodyWanted = unanswered == 1 && isBodyArriving && heldSince == nil
        waiting.since = unanswered == 0 || isBodyWanted ? start : nil
    }

    private func schedule(_ deadline: NIODeadline, _ context: ChannelHandlerContext) {
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            let deadline = (self.waiting.since ?? self.eventLoop.now) + self.limit
            if deadline <= self.eventLoop.now { context.close(promise: nil) } else { self.schedule(deadline, context) }
        }
    }
}
