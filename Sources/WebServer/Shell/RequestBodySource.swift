#if Programs
import NIOCore

/// The source of a request body that arrives in several pieces.
typealias RequestBodySource = RequestBodyProducer.Source

typealias RequestBodyProducer = NIOThrowingAsyncSequenceProducer<
    ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, BodyDemand
>

extension RequestBodySource {
    /// Creates a body and its source. The demand is reported when fewer than two pieces wait to be read.
    static func make(_ demand: BodyDemand) -> (body: RequestBodyProducer, source: RequestBodySource) {
        let made = RequestBodyProducer.makeSequence(
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8), finishOnDeinit: true, delegate: demand)
        return (made.sequence, made.source)
    }
}

/// Reports the demand of the consumer of a request body to its connection: more data, or the end.
final class BodyDemand: NIOAsyncSequenceProducerDelegate {
    private let eventLoop: any EventLoop
    private let isWanted: @Sendable (Bool) -> Void

    /// - Parameter isWanted: called on the event loop.
    init(eventLoop: any EventLoop, isWanted: @escaping @Sendable (Bool) -> Void) {
        (self.eventLoop, self.isWanted) = (eventLoop, isWanted)
    }

    func produceMore() { eventLoop.execute { self.isWanted(true) } }
    func didTerminate() { eventLoop.execute { self.isWanted(false) } }
}
#endif
